"""Which interfaces get one of the machine's NIC slots (HP-21)."""

from __future__ import annotations

from reference_controller.api import names

from .world import World


def granted(world: World) -> frozenset[str]:
    """Names of the interfaces that have a slot or get one now.

    NICs in the machine keep theirs until the guest has let go; then Main, then interfaces that
    have a link already, then the others in the order in which they are asked for.
    """
    held = {world.interface_of(nic) for nic in world.nics}
    order: list[str] = []
    if any(nic.name == names.MAIN_INTERFACE for nic in world.interfaces):
        order.append(names.MAIN_INTERFACE)
    requested = [request.interface for request in world.requests]
    order += [name for name in requested if name in world.taps]
    order += requested
    room = world.node.slots - len(world.nics)
    for name in order:
        if name not in held and room > 0:
            held.add(name)
            room -= 1
    return frozenset(held - {""})
