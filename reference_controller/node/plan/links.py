"""Which links the pod gets: one tap per interface (spec 4.2, contract of `networks-spec`)."""

from __future__ import annotations

from reference_controller.api import names

from . import answers, slots
from .actions import Action, MakeTap, RemoveTap
from .world import MAIN_BRIDGE, World


def wanted(world: World) -> dict[str, str]:
    """Bridge by interface name, for every link that shall exist now.

    A link that exists stays as long as it is asked for, whatever becomes of its network (HP-20).
    """
    granted = slots.granted(world)
    result: dict[str, str] = {}
    if any(nic.name == names.MAIN_INTERFACE for nic in world.interfaces):
        result[names.MAIN_INTERFACE] = MAIN_BRIDGE
    for request in world.requests:
        tap = world.taps.get(request.interface)
        network = world.networks.get(request.network)
        if tap is not None:
            result[request.interface] = tap.bridge
        elif network is not None and request.interface in granted:
            bridge = names.bridge_name(network.kind, network.namespace, network.name)
            if bridge in world.bridges and not answers.held(world, request.network):
                result[request.interface] = bridge
    return result


def make(world: World) -> list[Action]:
    """The links that are missing."""
    return [
        MakeTap(interface, bridge)
        for interface, bridge in wanted(world).items()
        if interface not in world.taps
    ]


def remove(world: World) -> list[Action]:
    """The links that nobody asks for any more and that no NIC uses."""
    used = {world.interface_of(nic) for nic in world.nics}
    keep = used | wanted(world).keys()
    return [RemoveTap(interface) for interface in world.taps if interface not in keep]
