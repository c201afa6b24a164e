"""Worlds of the node agent for tests, and a fake node that carries out actions on one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from ipaddress import IPv4Address, ip_interface
from typing import Any

from reference_controller.api import names
from reference_controller.api.internal import Instance, LauncherPod
from reference_controller.api.networks import NetworkKey
from reference_controller.api.sdn import IPAddress, NetworkObject
from reference_controller.api.view import Json
from reference_controller.node.plan import actions, decision
from reference_controller.node.plan.actions import Action
from reference_controller.node.plan.world import (
    Guest,
    Nic,
    NodeFacts,
    Reported,
    Reservation,
    Tap,
    World,
)

NOW = "2026-01-01T00:00:00Z"
LATER = "2026-01-01T00:00:09Z"
NODE = NodeFacts("node-a", slots=3, prefix=16, gateway=IPv4Address("10.66.0.1"))
ADDRESS = "10.66.10.7"
MAIN = {"name": "default", "acpiIndex": 1, "macAddress": "02:00:00:00:00:01"}
BLUE = {"name": "veth_cn1", "acpiIndex": 2, "macAddress": "5E-E6-19-00-00-02"}
GREEN = {"name": "veth_cn2", "acpiIndex": 3, "macAddress": "5e:e6:19:00:00:03"}
ASK_BLUE: Json = {"id": 2, "type": "ClusterNetwork", "name": "blue", "ifName": "veth_cn1"}
ASK_GREEN: Json = {"id": 3, "type": "ClusterNetwork", "name": "green", "ifName": "veth_cn2"}
BLUE_KEY = NetworkKey("ClusterNetwork", "blue")
GREEN_KEY = NetworkKey("ClusterNetwork", "green")


def network(name: str, **annotations: str) -> NetworkObject:
    return NetworkObject.parse(
        {"kind": "ClusterNetwork", "metadata": {"name": name, "annotations": annotations}}
    )


def bridge(name: str) -> str:
    return names.bridge_name("ClusterNetwork", "", name)


NETWORKS = {BLUE_KEY: network("blue"), GREEN_KEY: network("green")}


def pod(
    *asked: Json, answered: str | None = None, phase: str = "Pending", **fields: Any
) -> LauncherPod:
    annotations = {names.POD_ADDRESS: ADDRESS}
    if asked:
        annotations[names.NETWORKS_SPEC] = json.dumps(asked)
    if answered is not None:
        annotations[names.NETWORKS_STATUS] = answered
    owner = {"uid": "i", "controller": True, "kind": "x", "name": "vm", "apiVersion": "v1"}
    meta: Json = {
        "name": "pod",
        "namespace": "ns",
        "uid": "p",
        "resourceVersion": "7",
        "annotations": annotations,
        "ownerReferences": [owner],
        **fields,
    }
    return LauncherPod.parse(
        {"metadata": meta, "spec": {"nodeName": "node-a"}, "status": {"phase": phase}}
    )


def instance(*nics: Json, **status: Any) -> Instance:
    return Instance.parse(
        {
            "metadata": {"name": "vm", "namespace": "ns", "uid": "i", "resourceVersion": "9"},
            "spec": {"domain": {"devices": {"interfaces": list(nics)}}},
            "status": {"phase": "Scheduled", **status},
        }
    )


def address(name: str, ip: str, network_name: str = "blue", **fields: Any) -> IPAddress:
    return IPAddress.parse(
        {
            "metadata": {"name": name, "namespace": "ns"},
            "spec": {"networkRef": {"kind": "ClusterNetwork", "name": network_name}},
            "status": {
                "address": ip,
                "network": "192.168.200.0/24",
                "phase": "Allocated",
                "conditions": [{"type": "Allocated", "status": "True"}],
                **fields,
            },
        }
    )


def world(
    the_pod: LauncherPod | None = None, the_instance: Instance | None = None, **facts: Any
) -> World:
    defaults: dict[str, Any] = {
        "networks": NETWORKS,
        "bridges": frozenset({"main", bridge("blue"), bridge("green")}),
    }
    return World(NODE, "p", NOW, the_pod, the_instance, **{**defaults, **facts})


def reported(name: str, mac: str, *addresses: str) -> Reported:
    return Reported(name, mac, tuple(ip_interface(one) for one in addresses))


class FakeNode:
    """Carries out actions at once, except that a guest lets a NIC go only when told to."""

    def __init__(self, start: World) -> None:
        self.world = start
        self.done: list[Action] = []

    def settle(self, passes: int = 20) -> World:
        """Act until nothing is left to do."""
        for _ in range(passes):
            wanted = decision.act(self.world)
            if not wanted:
                return self.world
            for action in wanted:
                self.perform(action)
        raise AssertionError(f"not settled after {passes} passes; still wants {wanted}")

    def let_go(self) -> None:
        """The guest releases what it was asked to."""
        guest = self.world.guest
        assert guest is not None
        kept = tuple(nic for nic in guest.nics if nic.id not in guest.leaving)
        self._guest(nics=kept, leaving=frozenset())

    def perform(self, action: Action) -> None:
        """One action."""
        self.done.append(action)
        match action:
            case actions.Admit():
                self.world = replace(self.world, admitted=True)
            case actions.MakeTap(interface, on):
                tap = Tap(f"t-{interface}", on, "fe:00:00:00:00:01")
                self._taps({**self.world.taps, interface: tap})
            case actions.RemoveTap(interface):
                self._taps(_without(self.world.taps, interface))
                self._serve(_without(self.world.reservations, interface))
            case actions.Serve(interface, reservation):
                self._serve({**self.world.reservations, interface: reservation})
            case actions.Silence(interface):
                self._serve(_without(self.world.reservations, interface))
            case actions.Start():
                self.world = replace(self.world, guest=Guest())
            case actions.Plug(number, interface, mac):
                nic = Nic(number, self.world.taps[interface].name, mac)
                self._guest(nics=(*self.world.nics, nic))
            case actions.Unplug(number):
                assert self.world.guest is not None
                self._guest(leaving=self.world.guest.leaving | {number})
            case actions.Stop():
                self.world = replace(self.world, guest=None, starting=False)
            case actions.Discard():
                self.world = replace(self.world, admitted=False)

    def _guest(self, **changes: Any) -> None:
        assert self.world.guest is not None
        self.world = replace(self.world, guest=replace(self.world.guest, **changes))

    def _taps(self, taps: Mapping[str, Tap]) -> None:
        self.world = replace(self.world, taps=taps)

    def _serve(self, reservations: Mapping[str, Reservation]) -> None:
        self.world = replace(self.world, reservations=reservations)


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


def running(asked: Iterable[Json] = (), *nics: Json, **facts: Any) -> FakeNode:
    """A node whose guest runs with Main and `nics`, settled."""
    start = world(pod(*asked), instance(MAIN, *nics), **facts)
    node = FakeNode(start)
    node.settle()
    node.done.clear()
    return node
