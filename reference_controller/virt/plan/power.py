"""Whether an instance shall run: run strategy and the controller's state change requests.

The order of a restart follows seam 1 and 3: `Stopped` without an instance stays visible until
the VM's controller has seen it, and the new instance is not made in the second of the signal.
"""

from __future__ import annotations

import datetime

from reference_controller.api.internal import InternalVM
from reference_controller.api.view import Json

from .world import World

PATIENCE = datetime.timedelta(seconds=5)
"""How long a start waits for the VM's controller to take note of the stop (seam 1)."""

FINAL_PHASES = ("Succeeded", "Failed")
RUNNING_PHASES = ("Running", "Stopping", "Migrating", "Pause", "Degraded")


def open_requests(world: World) -> list[Json]:
    """The state change requests that are not fulfilled yet, in their order."""
    assert world.internal is not None
    remaining: list[Json] = []
    for request in world.internal.status.state_change_requests:
        fulfilled = (
            _stopped(world, request)
            if request.get("action") == "Stop"
            else (not remaining and _runs(world))
        )
        if not fulfilled:
            remaining.append(dict(request))
    return remaining


def stop_wanted(world: World) -> bool:
    """Whether the present instance shall end."""
    internal, instance = world.internal, world.instance
    assert internal is not None
    assert instance is not None
    if internal.metadata.deleting or internal.spec.run_strategy == "Halted":
        return True
    requests = open_requests(world)
    if any(request.get("action") == "Stop" for request in requests):
        return True
    if instance.status.phase not in FINAL_PHASES:
        return False
    return internal.spec.run_strategy == "Always" or bool(requests)


def start_wanted(world: World) -> bool:
    """Whether an instance shall be made, be it now or a little later."""
    internal = world.internal
    assert internal is not None
    if internal.metadata.deleting or internal.spec.run_strategy == "Halted":
        return False
    if internal.spec.run_strategy == "Always":
        return True
    return any(request.get("action") == "Start" for request in open_requests(world))


def start_delay(world: World) -> float:
    """Seconds until a wanted start may happen: 0 means now."""
    internal = world.internal
    assert internal is not None
    if internal.status.created:
        return 0.05  # the status that shows the stop comes first; its event brings the next pass
    stopping, stopped = parse_time(internal, "stoppingSince"), parse_time(internal, "stoppedSince")
    waits = [0.0]
    if stopping is not None:
        next_second = stopping.replace(microsecond=0) + datetime.timedelta(seconds=1)
        waits.append((next_second - world.now).total_seconds())
    if stopped is not None and _unseen(world):
        waits.append((stopped + PATIENCE - world.now).total_seconds())
    return max(waits)


def parse_time(internal: InternalVM, field: str) -> datetime.datetime | None:
    """A time of the internal VM's status, or None."""
    status = internal.raw.get("status") or {}
    text = status.get(field)
    return datetime.datetime.fromisoformat(text) if text else None


def _unseen(world: World) -> bool:
    """Whether the VM's controller still takes the VM for running."""
    return world.machine is not None and world.machine.status.phase in RUNNING_PHASES


def _stopped(world: World, request: Json) -> bool:
    return world.instance is None or (
        bool(request.get("uid")) and world.instance.uid != request["uid"]
    )


def _runs(world: World) -> bool:
    instance = world.instance
    return (
        instance is not None
        and not instance.metadata.deleting
        and instance.status.phase not in FINAL_PHASES
    )
