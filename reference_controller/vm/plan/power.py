"""Starting, stopping and restarting (spec 9: run policies, restart approval; seam).

Signals are entries of the internal VM's status.stateChangeRequests, which the platform below
consumes. They are derived anew in every pass from what is there: nothing depends on having
been sent once. A restart means: this very instance (its UID) shall go; when it is gone, and all
that the new one needs is there, a start. In between, the order to start stands: in the user's
operation, or in an annotation of the internal VM that names the instance that shall go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reference_controller.api import kinds, names
from reference_controller.api.view import Json
from reference_controller.api.writes import Delete, EmitEvent, MergePatch, Write

from . import lifecycle, operations, power
from .comparator import Verdict
from .interfaces import Desired
from .world import World

Action = Literal["", "Start", "Stop", "Restart"]
START: Json = {"action": "Start"}


@dataclass(frozen=True)
class Wish:
    """What shall happen to the instance, and why (for the Event)."""

    action: Action = ""
    reason: str = ""
    force: bool = False


def run_strategy(world: World) -> str:
    """runStrategy: the platform below starts the first instance alone, later ones only we do."""
    if world.internal is None:
        first = world.vm.spec.run_policy == "AlwaysOnUnlessStoppedManually"
        return "Always" if first else "Manual"
    if world.instance is not None:
        return "Manual"
    return world.internal.spec.run_strategy or "Manual"


def wish(world: World, verdict: Verdict, desired: Desired) -> Wish:
    """The one thing to do now, by rank: the user's operation, the run policy, pending changes."""
    asked = operations.in_progress(world)
    if asked is not None:
        action = operations.ACTIONS[asked.spec.type]
        if action != "Restart" or operations.still_runs(world, asked):
            return Wish(action, f"asked for by operation {asked.name!r}", asked.spec.force)
        return Wish("Start", f"asked for by operation {asked.name!r}")
    policy, instance = world.vm.spec.run_policy, world.instance
    ended = instance is not None and world.live_instance is None
    if policy == "AlwaysOff":
        return Wish("Stop", "the run policy is AlwaysOff") if instance is not None else Wish()
    if policy == "AlwaysOn" and (instance is None or ended):
        return Wish("Start", "the run policy is AlwaysOn")
    if instance is None and power.ordered(world):
        return Wish("Start", "a restart is under way")
    crashed = ended and instance is not None and instance.status.phase == "Failed"
    if policy == "AlwaysOnUnlessStoppedManually" and crashed:
        return Wish("Restart", "the guest has failed")
    if power.outdated(world, desired):
        return Wish("Restart", "the instance that has not started yet has other networks")
    automatic = world.vm.spec.disruptions.restart_approval_mode == "Automatic"
    if automatic and verdict.waiting and lifecycle.started(world):
        return Wish("Restart", "changes that need a restart are approved automatically")
    return Wish()


def outdated(world: World, desired: Desired) -> bool:
    """Whether an instance without a started guest has Main, and should not, or the reverse.

    Main is never changed in an instance; while nothing runs yet another one costs nothing (LC-06).
    """
    instance = world.live_instance
    if instance is None or instance.metadata.deleting or lifecycle.started(world):
        return False
    has_main = any(nic.name == names.MAIN_INTERFACE for nic in instance.spec.interfaces)
    return has_main != desired.main


def signal(world: World, wished: Wish, missing: str) -> tuple[Write, ...]:
    """The write that makes `wished` happen; none when it is under way or nothing is to be done.

    `missing`: what a start has to wait for.
    """
    if world.internal is None:
        return ()
    if settled := power.settle_order(world, wished):
        return settled
    instance = world.instance
    if wished.action == "Stop":
        return power.stop(world, wished)
    if wished.action == "Start" and instance is None:
        return () if missing else power.start(world, wished)
    if wished.action in ("Start", "Restart") and instance is not None:
        if wished.action == "Start" and world.live_instance is not None:
            return ()
        return power.restart(world, wished)
    return ()


def stop(world: World, wished: Wish) -> tuple[Write, ...]:
    """Delete the instance; a start that was asked for earlier is withdrawn."""
    instance = world.instance
    withdrawn: list[Write] = []
    if "Start" in lifecycle.requested_actions(world):
        withdrawn.append(_requests(world, []))
    if instance is None or instance.metadata.deleting:
        return tuple(withdrawn)
    return (
        *withdrawn,
        Delete(
            kinds.INTERNAL_INSTANCE,
            world.namespace,
            world.name,
            instance.uid,
            grace_seconds=0 if wished.force else None,
        ),
        _event(world, "Stopped", wished),
    )


def start(world: World, wished: Wish) -> tuple[Write, ...]:
    """Ask for a start, once: not while one is asked for or the last instance is still going."""
    internal = world.internal
    if internal is None or internal.spec.run_strategy == "Always":
        return ()
    if "Start" in lifecycle.requested_actions(world):
        return ()
    if internal.status.created or internal.status.printable_status not in ("Stopped", ""):
        return ()
    return (_requests(world, [START]), _event(world, "Started", wished))


def restart(world: World, wished: Wish) -> tuple[Write, ...]:
    """Ask for the end of the present instance; the start follows when it is gone."""
    instance = world.instance
    if instance is None:
        return ()
    if operations.in_progress(world) is None and power.ordered(world) != instance.uid:
        # Alone: the request below carries the version that this write makes.
        return (_order(world, instance.uid),)
    if instance.metadata.deleting or power.stop_requested(world, instance.uid):
        return ()
    writes: list[Write] = [_requests(world, [{"action": "Stop", "uid": instance.uid}])]
    if wished.force:
        writes += [
            Delete(kinds.POD, pod.namespace, pod.name, pod.uid, grace_seconds=0)
            for pod in world.active_pods
        ]
    return (*writes, _event(world, "Restarted", wished))


def ordered(world: World) -> str:
    """UID of the instance after whose end a start is due, without an operation of the user."""
    if world.internal is None:
        return ""
    return world.internal.metadata.annotations.get(names.RESTART_REQUESTED, "")


def settle_order(world: World, wished: Wish) -> tuple[Write, ...]:
    """Withdraw the order when another instance is there, or when a stop is wanted instead."""
    uid = power.ordered(world)
    if not uid:
        return ()
    fulfilled = world.instance is not None and world.instance.uid != uid
    return (_order(world, None),) if fulfilled or wished.action == "Stop" else ()


def stop_requested(world: World, uid: str) -> bool:
    """Whether the end of the instance `uid` is asked for already."""
    pending = world.internal.status.state_change_requests if world.internal is not None else ()
    return any(item.get("action") == "Stop" and item.get("uid") == uid for item in pending)


def _order(world: World, uid: str | None) -> MergePatch:
    body: Json = {"metadata": {"annotations": {names.RESTART_REQUESTED: uid}}}
    return MergePatch(kinds.INTERNAL_VM, world.namespace, world.name, body)


def _requests(world: World, requests: list[Json]) -> MergePatch:
    version = world.internal.metadata.resource_version if world.internal is not None else ""
    return MergePatch(
        kinds.INTERNAL_VM,
        world.namespace,
        world.name,
        {"status": {"stateChangeRequests": requests}},
        status=True,
        resource_version=version,
    )


def _event(world: World, reason: str, wished: Wish) -> EmitEvent:
    message = f"{reason}: {wished.reason}"
    if world.instance is not None:
        # An Event's name is derived from its text: every instance has its own.
        message += f" (instance {world.instance.uid})"
    return EmitEvent(world.vm, kinds.VIRTUAL_MACHINE, reason, message)
