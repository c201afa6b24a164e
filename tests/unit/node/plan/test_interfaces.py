"""status.interfaces of the instance, as spec 7.2 and clauses AS-01 to AS-09 want it."""

from dataclasses import replace
from typing import Any

from reference_controller.api.view import Json
from reference_controller.node.plan import interfaces
from reference_controller.node.plan.world import Reported, World
from tests.unit.node.plan import worlds
from tests.unit.node.plan.worlds import ADDRESS, ASK_BLUE, BLUE, MAIN, instance, reported, running

MAIN_MAC = "02:00:00:00:00:01"
BLUE_MAC = "5e:e6:19:00:00:02"
LOOPBACK = reported("lo", "00:00:00:00:00:00", "127.0.0.1/8")


def told(world: World, *report: Reported) -> World:
    assert world.guest is not None
    return replace(world, guest=replace(world.guest, report=report))


def main(world: World) -> Json:
    return interfaces.decide(world)[0]


def test_before_any_report_the_machine_and_the_platform_say_enough() -> None:
    shown = interfaces.decide(running([ASK_BLUE], BLUE).world)
    assert [(one["name"], one["mac"], one["infoSource"]) for one in shown] == [
        ("default", MAIN_MAC, "domain"),
        ("veth_cn1", BLUE_MAC, "domain"),
    ]
    assert shown[0]["ipAddresses"] == [ADDRESS]
    assert "ipAddresses" not in shown[1]


def test_main_comes_first_whatever_its_id() -> None:
    nics = ({**MAIN, "acpiIndex": 3}, BLUE)
    node = worlds.FakeNode(worlds.world(worlds.pod(ASK_BLUE), instance(*nics)))
    node.settle()
    node.world = replace(
        node.world,
        guest=replace(
            node.world.guest,
            nics=tuple(sorted(node.world.nics, key=lambda nic: nic.id)),  # type: ignore[type-var]
        ),
    )
    assert [one["name"] for one in interfaces.decide(node.world)] == ["default", "veth_cn1"]


def test_the_report_adds_name_and_addresses_by_mac() -> None:
    world = told(
        running().world, LOOPBACK, reported("eno1", MAIN_MAC, "10.66.10.7/16", "fe80::1/64")
    )
    assert main(world) == {
        "name": "default",
        "mac": MAIN_MAC,
        "ipAddress": ADDRESS,
        "ipAddresses": [ADDRESS, "fe80::1"],
        "interfaceName": "eno1",
        "infoSource": "domain, guest-agent",
        "linkState": "up",
        "podInterfaceName": "eth0",
        "queueCount": 1,
    }


def test_a_report_of_less_takes_nothing_away() -> None:
    world = running().world
    for report in ([reported("eno1", MAIN_MAC, "fe80::1/64")], [reported("eno1", MAIN_MAC)], []):
        assert main(told(world, *report))["ipAddress"] == ADDRESS


def test_a_bridge_with_the_mac_of_its_port_does_not_replace_it() -> None:
    world = running().world
    shown = interfaces.decide(
        told(world, reported("eno1", MAIN_MAC), reported("br0", MAIN_MAC, "10.0.2.2/24"))
    )
    assert len(shown) == 1
    assert (shown[0]["interfaceName"], shown[0]["ipAddress"]) == ("eno1", ADDRESS)


def test_interfaces_that_the_guest_made_are_nameless_and_last() -> None:
    shown = interfaces.decide(
        told(running().world, LOOPBACK, reported("docker0", "02:42:00:00:00:01", "172.17.0.1/16"))
    )
    assert shown[1:] == [
        {
            "interfaceName": "docker0",
            "mac": "02:42:00:00:00:01",
            "infoSource": "guest-agent",
            "ipAddress": "172.17.0.1",
            "ipAddresses": ["172.17.0.1"],
        }
    ]


def test_what_the_agent_said_is_remembered_over_a_restart_of_the_node_agent() -> None:
    world = told(running([ASK_BLUE], BLUE).world, reported("eno2", BLUE_MAC, "192.168.7.7/24"))
    before = interfaces.decide(world)
    assert world.guest is not None
    restarted: dict[str, Any] = {"guest": replace(world.guest, report=None)}
    restarted["instance"] = instance(MAIN, BLUE, interfaces=before)
    assert interfaces.decide(replace(world, **restarted)) == before


def test_a_nic_that_the_guest_let_go_is_gone_from_the_list() -> None:
    node = running([ASK_BLUE], BLUE)
    node.world = replace(node.world, instance=instance(MAIN, {**BLUE, "state": "absent"}))
    node.settle()
    assert [one["name"] for one in interfaces.decide(node.world)] == ["default", "veth_cn1"]
    node.let_go()
    assert [one["name"] for one in interfaces.decide(node.world)] == ["default"]
