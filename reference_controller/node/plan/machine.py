"""The pod's machine: its start, the NICs in it, what DHCP serves at them, its end."""

from __future__ import annotations

from reference_controller.api import names
from reference_controller.api.internal import Interface

from . import leases, links
from .actions import (
    Action,
    Admit,
    Discard,
    Flap,
    Plug,
    RemoveTap,
    Serve,
    Silence,
    Start,
    Stop,
    Unplug,
)
from .world import Nic, World


def decide(world: World) -> list[Action]:
    """What the drivers shall do, in order."""
    pod = world.pod
    if pod is None or pod.metadata.deleting or pod.finished or (world.guest and world.guest.ended):
        return _end(world)
    if not belongs(world):
        return []
    actions: list[Action] = [] if world.admitted else [Admit()]
    made = links.make(world)
    actions += made
    ready = world.taps.keys() | links.wanted(world).keys()
    actions += _serve(world, ready)
    if world.guest is not None:
        actions += _unplug(world)
        actions += _plug(world, ready)
    elif not world.starting:
        assert world.instance is not None
        actions.append(Start(world.instance.name, world.instance.uid))
    return actions + links.remove(world)


def belongs(world: World) -> bool:
    """Whether the pod is this node's, and the instance that it was made for is there."""
    pod, instance = world.pod, world.instance
    if pod is None or instance is None or pod.spec.node_name != world.node.name:
        return False
    controller = pod.metadata.controller
    return controller is not None and controller.uid == instance.uid


def id_of(world: World, interface: Interface) -> int:
    """The network id of a NIC, which is its ACPI index (spec 4.1)."""
    if interface.acpi_index:
        return interface.acpi_index
    if interface.name == names.MAIN_INTERFACE:
        return 1
    asked = (one.id for one in world.requests if one.interface == interface.name)
    return next(asked, 0)


def nic_of(world: World, interface: Interface) -> Nic | None:
    """The NIC in the machine that is `interface`."""
    tap = world.taps.get(interface.name)
    found = (nic for nic in world.nics if tap is not None and nic.tap == tap.name)
    return next(found, None)


def _serve(world: World, ready: set[str]) -> list[Action]:
    actions: list[Action] = []
    for interface in world.interfaces:
        if interface.name not in ready:
            continue
        served = world.reservations.get(interface.name)
        wanted = leases.reservation(world, interface)
        if wanted is None:
            if served is not None and leases.l2_only(world, interface.name):
                actions.append(Silence(interface.name))
        elif wanted != served:
            actions.append(Serve(interface.name, wanted))
            nic = nic_of(world, interface)
            # Adopted guests have a lease already; a flap for them would be noise.
            if served is not None and served.address != wanted.address and nic is not None:
                actions.append(Flap(nic.id))
    return actions


def _plug(world: World, ready: set[str]) -> list[Action]:
    """New NICs; one whose id another NIC still holds waits until that one has left."""
    present = {nic.id for nic in world.nics}
    actions: list[Action] = []
    for interface in world.interfaces:
        nic_id = id_of(world, interface)
        if nic_id and nic_id not in present and interface.name in ready and interface.mac_address:
            mac = names.normal_mac(interface.mac_address)
            actions.append(Plug(nic_id, interface.name, mac))
    return actions


def _unplug(world: World) -> list[Action]:
    """NICs that are absent from the instance, or are another one there now."""
    wanted = {
        (interface.name, names.normal_mac(interface.mac_address)) for interface in world.interfaces
    }
    leaving = world.guest.leaving if world.guest is not None else frozenset()
    return [
        Unplug(nic.id)
        for nic in world.nics
        if nic.id not in leaving and (world.interface_of(nic), nic.mac) not in wanted
    ]


def _end(world: World) -> list[Action]:
    actions: list[Action] = []
    if world.starting or (world.guest is not None and not world.guest.ended):
        actions.append(Stop())
    actions += [RemoveTap(interface) for interface in world.taps]
    if world.pod is None and world.admitted:
        actions.append(Discard())
    return actions
