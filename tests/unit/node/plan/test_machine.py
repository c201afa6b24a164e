"""The order and the end of what a guest's machine goes through."""

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface

from hypothesis import given, settings
from hypothesis import strategies as st

from reference_controller.node.plan import decision
from reference_controller.node.plan.actions import (
    Admit,
    Discard,
    Flap,
    MakeTap,
    Plug,
    RemoveTap,
    Serve,
    Start,
    Stop,
    Unplug,
)
from reference_controller.node.plan.world import Guest, Reservation, World
from tests.unit.node.plan import worlds
from tests.unit.node.plan.worlds import (
    ASK_BLUE,
    ASK_GREEN,
    BLUE,
    GREEN,
    MAIN,
    FakeNode,
    address,
    instance,
    pod,
    running,
    world,
)

MAIN_MAC = "02:00:00:00:00:01"
BLUE_MAC = "5e:e6:19:00:00:02"
ASK_POOLED = {**ASK_BLUE, "ipAssignmentMode": "DHCP", "ipAddressNames": ["x"]}


def test_a_new_pod_gets_links_addresses_a_machine_and_its_nics_in_that_order() -> None:
    served = Reservation(MAIN_MAC, IPv4Interface("10.66.10.7/16"), gateway=IPv4Address("10.66.0.1"))
    node = FakeNode(world(pod(ASK_BLUE), instance(MAIN, BLUE)))
    node.settle()
    assert node.done[:7] == [
        Admit(),
        MakeTap("default", "main"),
        MakeTap("veth_cn1", worlds.bridge("blue")),
        Serve("default", served),
        Start("vm", "i"),
        Plug(1, "default", MAIN_MAC),
        Plug(2, "veth_cn1", BLUE_MAC),
    ]


def test_nothing_starts_without_the_instance_that_the_pod_was_made_for() -> None:
    assert decision.act(world(pod(), None)) == []
    other = instance(MAIN).model_copy(
        update={"metadata": instance().metadata.model_copy(update={"uid": "another"})}
    )
    assert decision.act(world(pod(), other)) == []


def test_a_pod_of_another_node_is_left_alone() -> None:
    elsewhere = replace(worlds.NODE, name="node-b")
    assert decision.act(replace(world(pod(), instance(MAIN)), node=elsewhere)) == []


def test_a_settled_guest_needs_nothing() -> None:
    node = running([ASK_BLUE], BLUE)
    assert decision.act(node.world) == []


def test_a_link_is_made_when_asked_for_and_the_nic_follows_the_instance() -> None:
    node = running()
    node.world = replace(node.world, pod=pod(ASK_BLUE))
    node.settle()
    assert node.done == [MakeTap("veth_cn1", worlds.bridge("blue"))]
    node.world = replace(node.world, instance=instance(MAIN, BLUE))
    node.settle()
    assert node.done[1:] == [Plug(2, "veth_cn1", BLUE_MAC)]


def test_an_absent_nic_is_asked_for_once_and_its_link_goes_when_the_guest_let_go() -> None:
    node = running([ASK_BLUE], BLUE)
    node.world = replace(
        node.world, pod=pod(), instance=instance(MAIN, {**BLUE, "state": "absent"})
    )
    node.settle()
    assert node.done == [Unplug(2)]
    node.let_go()
    node.settle()
    assert node.done == [Unplug(2), RemoveTap("veth_cn1")]


def test_a_nic_keeps_its_link_when_its_network_is_gone() -> None:
    node = running([ASK_BLUE], BLUE)
    node.world = replace(node.world, networks={}, bridges=frozenset({"main"}))
    assert decision.act(node.world) == []


def test_a_nic_of_the_same_id_waits_until_the_old_one_left() -> None:
    node = running([ASK_BLUE], BLUE)
    successor = {**GREEN, "acpiIndex": 2}
    node.world = replace(
        node.world,
        pod=pod({**ASK_GREEN, "id": 2}),
        instance=instance(MAIN, {**BLUE, "state": "absent"}, successor),
    )
    node.settle()
    assert not any(isinstance(action, Plug) for action in node.done)
    node.let_go()
    node.settle()
    assert Plug(2, "veth_cn2", "5e:e6:19:00:00:03") in node.done


def test_a_pooled_address_is_served_before_the_nic_is_there_and_switched_with_a_flap() -> None:
    claims = {"x": address("x", "192.168.200.50")}
    node = running([ASK_POOLED], BLUE, addresses=claims)
    served = node.world.reservations["veth_cn1"]
    assert served == Reservation(BLUE_MAC, IPv4Interface("192.168.200.50/24"))
    node.world = replace(node.world, addresses={"x": address("x", "192.168.200.51")})
    node.settle()
    moved = Reservation(BLUE_MAC, IPv4Interface("192.168.200.51/24"))
    assert node.done == [Serve("veth_cn1", moved), Flap(2)]


def test_an_address_in_use_outlives_trouble_with_its_object() -> None:
    node = running([ASK_POOLED], BLUE, addresses={"x": address("x", "192.168.200.50")})
    node.world = replace(node.world, addresses={})
    assert decision.act(node.world) == []


def test_a_deleted_pod_loses_its_machine_and_links_and_once_gone_its_files() -> None:
    node = running([ASK_BLUE], BLUE)
    node.world = replace(node.world, pod=pod(ASK_BLUE, deletionTimestamp=worlds.NOW))
    node.settle()
    assert node.done == [Stop(), RemoveTap("default"), RemoveTap("veth_cn1")]
    node.world = replace(node.world, pod=None)
    node.settle()
    assert node.done[3:] == [Discard()]


def test_a_pod_whose_guest_ended_is_never_started_again() -> None:
    ended = world(pod(), instance(MAIN), admitted=True, guest=Guest(ended="Succeeded"))
    assert decision.act(ended) == []
    finished = world(pod(phase="Succeeded"), instance(MAIN), admitted=True)
    assert decision.act(finished) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["blue", "green"]), unique=True),
    st.lists(st.sampled_from(["blue", "green"]), unique=True),
    st.integers(0, 8),
)
def test_any_change_cut_short_anywhere_ends_in_the_same_machine(
    before: list[str], after: list[str], cut: int
) -> None:
    node = FakeNode(_of(before))
    node.settle()
    wanted = _of(after)
    node.world = replace(node.world, pod=wanted.pod, instance=wanted.instance)
    for action in decision.act(node.world)[:cut]:
        node.perform(action)
    for _ in range(3):
        node.settle()
        node.let_go()
    node.settle()
    expected = {"default", *(ASKED[name]["ifName"] for name in after)}
    assert {node.world.interface_of(nic) for nic in node.world.nics} == expected
    assert node.world.taps.keys() == expected


ASKED = {"blue": ASK_BLUE, "green": ASK_GREEN}
NICS = {"blue": BLUE, "green": GREEN}


def _of(chosen: list[str]) -> World:
    absent = [{**NICS[name], "state": "absent"} for name in NICS if name not in chosen]
    present = [NICS[name] for name in chosen]
    asked = [ASKED[name] for name in chosen]
    return world(pod(*asked), instance(MAIN, *present, *absent))
