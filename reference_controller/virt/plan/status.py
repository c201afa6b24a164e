"""What the internal VM reports: printableStatus, created, ready, conditions (seam)."""

from __future__ import annotations

from reference_controller.api import conditions, kinds
from reference_controller.api.conditions import Condition
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, difference

from . import instance as instances
from . import placement, power
from .world import World

OWNED = ("Ready", "RestartRequired")


def printable(world: World) -> str:
    """The one word that says what the VM does."""
    internal, instance = world.internal, world.instance
    assert internal is not None
    if internal.metadata.deleting:
        return "Terminating"
    if instance is None or instance.status.phase in power.FINAL_PHASES:
        return "Stopped"
    if instance.metadata.deleting:
        return "Stopping"
    if instance.status.phase == "Running":
        return "Running"
    if not world.pods and placement.choose(world.nodes, instance.spec.node_selector) is None:
        return "ErrorUnschedulable"
    return "Starting"


def patch(world: World) -> MergePatch | None:
    """The status write, or None when everything stands there already."""
    internal = world.internal
    assert internal is not None
    stored = internal.raw.get("status") or {}
    word = printable(world)
    target: Json = {
        "printableStatus": word,
        "created": world.instance is not None,
        "ready": word == "Running",
        "stateChangeRequests": power.open_requests(world) or None,
        "stoppingSince": _since(world, stored, "stoppingSince", word in ("Stopping", "Stopped")),
        "stoppedSince": _since(world, stored, "stoppedSince", world.instance is None),
        "conditions": conditions.merge(
            stored.get("conditions") or [],
            _conditions(world, word),
            OWNED,
            world.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        ),
    }
    changes = difference(stored, target)
    if not changes:
        return None
    return MergePatch(
        kinds.INTERNAL_VM,
        internal.namespace,
        internal.name,
        {"status": changes},
        status=True,
        resource_version=internal.metadata.resource_version,
    )


def _since(world: World, stored: Json, field: str, holds: bool) -> str | None:
    """The time since when something holds; a VM that never ran has not stopped."""
    if not holds:
        return None
    if stored.get(field):
        return str(stored[field])
    return world.now.isoformat() if stored.get("created") else None


def _conditions(world: World, word: str) -> list[Condition]:
    internal, instance = world.internal, world.instance
    assert internal is not None
    generation = internal.metadata.generation
    if instance is None:
        ready = conditions.wanted(
            "Ready", "False", "VMINotExists", "no instance exists", generation
        )
    elif word == "Running":
        ready = conditions.wanted("Ready", "True", "Running", "", generation)
    else:
        ready = conditions.wanted("Ready", "False", "GuestNotRunning", word, generation)
    result = [ready]
    if instance is not None and word == "Running" and instances.differs(internal, instance):
        message = "a network interface of the instance differs from the template"
        required = conditions.wanted("RestartRequired", "True", "RestartRequired", message)
        result.append(required.model_copy(update={"observed_generation": generation}))
    return result
