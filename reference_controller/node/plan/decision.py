"""The whole decision about one pod: first what the drivers do, then what is told of the result."""

from __future__ import annotations

from reference_controller.api.writes import Plan, Write

from . import answers, instance, machine, pod
from .actions import Action
from .world import World


def act(world: World) -> list[Action]:
    """Actions for the drivers, in order. They may fail or be cut short: the next pass goes on."""
    return machine.decide(world)


def report(world: World) -> Plan:
    """Writes about what is there now, from a world that was looked at after the actions."""
    if not machine.belongs(world):
        return Plan(tuple(pod.release(world)) if _ours(world) else ())
    if release := pod.release(world):
        return Plan(tuple(_told(world) or release))
    return Plan(tuple(_told(world)))


def _told(world: World) -> list[Write]:
    deleting = world.pod is not None and world.pod.metadata.deleting
    ended = world.guest is not None and world.guest.ended
    writes = [] if deleting or ended else [answers.patch(world)]
    writes += [instance.patch(world)] if not deleting or ended else []
    writes += [pod.status(world)]
    return [write for write in writes if write is not None]


def _ours(world: World) -> bool:
    return world.pod is not None and world.pod.spec.node_name == world.node.name
