"""What networks-status says, and when it says nothing."""

import json
from dataclasses import replace

from reference_controller.api import names
from reference_controller.api.networks import (
    InterfaceAnswer,
    NetworkKey,
    decode_answers,
    encode_answers,
)
from reference_controller.node.plan import answers
from reference_controller.node.plan.world import World
from tests.unit.node.plan import worlds
from tests.unit.node.plan.worlds import ASK_BLUE, ASK_GREEN, BLUE, NETWORKS, address, pod, running

ASK_POOLED = {**ASK_BLUE, "ipAssignmentMode": "DHCP", "ipAddressNames": ["x"]}
HELD = worlds.network("blue", **{names.HOLD_ANSWERS: "true"})


def told(world: World) -> list[tuple[str, bool]]:
    return [(entry.if_name, entry.healthy) for entry in answers.decide(world)]


def answered(world: World) -> str:
    """The annotation after the answer was written."""
    return encode_answers(answers.decide(world))


def test_a_link_that_exists_is_configured_and_its_carrier_does_not_matter() -> None:
    node = running([ASK_BLUE])
    (entry,) = answers.decide(node.world)
    assert entry.mac == node.world.taps["veth_cn1"].mac
    assert [(one.type, one.status, one.reason) for one in entry.conditions] == [
        ("Configured", "True", "InterfaceConfiguredSuccessfully"),
        ("Negotiated", "True", "Up"),
    ]


def test_no_link_no_answer() -> None:
    assert told(worlds.world(pod(ASK_BLUE), worlds.instance(worlds.MAIN))) == []


def test_the_address_is_shown_once_it_is_allocated() -> None:
    node = running([ASK_POOLED])
    assert told(node.world) == []
    world = replace(node.world, addresses={"x": address("x", "192.168.200.50")})
    (entry,) = answers.decide(world)
    (config,) = entry.ip_address_configs
    assert (config.name, config.address, config.network) == (
        "x",
        "192.168.200.50",
        "192.168.200.0/24",
    )


def test_an_address_of_another_network_is_no_address() -> None:
    node = running([ASK_POOLED])
    foreign = address("x", "192.168.200.50", "green")
    assert told(replace(node.world, addresses={"x": foreign})) == []


def test_an_interface_without_a_slot_is_a_configuration_error_until_one_is_free() -> None:
    asks = [{**ASK_BLUE, "name": f"n{n}", "ifName": f"veth_cn{n}", "id": n} for n in (2, 3, 4)]
    networks = {
        NetworkKey("ClusterNetwork", ask["name"]): worlds.network(ask["name"]) for ask in asks
    }
    bridges = frozenset(worlds.bridge(ask["name"]) for ask in asks)
    node = running(asks, networks=networks, bridges=bridges)
    assert told(node.world) == [("veth_cn2", True), ("veth_cn3", True), ("veth_cn4", False)]
    refused = answers.decide(node.world)[2].conditions[0]
    assert (refused.type, refused.reason) == ("Configured", "ConfigurationError")
    node.world = replace(node.world, pod=pod(*asks[1:]))
    node.settle()
    assert told(node.world) == [("veth_cn3", True), ("veth_cn4", True)]


def test_a_held_network_is_silent_for_new_requests_and_keeps_what_it_said() -> None:
    node = running([ASK_BLUE])
    held = {**NETWORKS, worlds.BLUE_KEY: HELD}
    earlier = answered(node.world)
    renamed = {**ASK_BLUE, "ifName": "veth_cn9"}
    node.world = replace(node.world, pod=pod(renamed, answered=earlier), networks=held)
    node.settle()
    assert "veth_cn9" not in node.world.taps
    assert told(node.world) == [("veth_cn1", True)]
    node.world = replace(node.world, networks=NETWORKS)
    node.settle()
    assert told(node.world) == [("veth_cn9", True)]


def test_holding_one_network_does_not_silence_another() -> None:
    held = {**NETWORKS, worlds.BLUE_KEY: HELD}
    assert told(running([ASK_BLUE, ASK_GREEN], networks=held).world) == [("veth_cn2", True)]


def test_an_unchanged_answer_is_not_written_again_however_late_it_is() -> None:
    node = running([ASK_BLUE], BLUE)
    first = answers.patch(node.world)
    assert first is not None
    text = first.body["metadata"]["annotations"][names.NETWORKS_STATUS]
    again = replace(node.world, pod=pod(ASK_BLUE, answered=text), now=worlds.LATER)
    assert answers.patch(again) is None


def test_without_requests_the_annotation_goes() -> None:
    world = running([]).world
    assert answers.patch(world) is None
    write = answers.patch(replace(world, pod=pod(answered="[]")))
    assert write is not None
    assert write.body == {"metadata": {"annotations": {names.NETWORKS_STATUS: None}}}


def test_a_torn_earlier_answer_is_replaced() -> None:
    node = running([ASK_BLUE])
    node.world = replace(node.world, pod=pod(ASK_BLUE, answered="{nonsense"))
    write = answers.patch(node.world)
    assert write is not None
    decoded = decode_answers(write.body["metadata"]["annotations"][names.NETWORKS_STATUS])
    assert decoded is not None
    assert isinstance(decoded[0], InterfaceAnswer)
    assert json.loads(encode_answers(decoded))[0]["ifName"] == "veth_cn1"
