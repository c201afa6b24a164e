"""VirtualMachineOperation Start, Stop and Restart (spec 9, LC-01, D35).

An operation in progress is itself the standing order that `power` reads: it records the UID of
the instance it is about, so a restart is complete when another one runs, however often the
controller died in between.
"""

from __future__ import annotations

from reference_controller.api import conditions, kinds
from reference_controller.api.conditions import Condition, Status
from reference_controller.api.machines import Operation
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, Write

from . import lifecycle, operations, power
from .world import World

ACTIONS: dict[str, power.Action] = {"Start": "Start", "Stop": "Stop", "Restart": "Restart"}
TERMINAL = ("Completed", "Failed", "Superseded")
POLICIES = {
    "Restart": ("Manual", "AlwaysOnUnlessStoppedManually", "AlwaysOn"),
    "Start": ("Manual", "AlwaysOnUnlessStoppedManually"),
    "Stop": ("Manual", "AlwaysOnUnlessStoppedManually"),
}
PHASES = {
    "Restart": ("Running", "Degraded", "Starting", "Pause"),
    "Start": ("Stopped", "Stopping"),
    "Stop": ("Running", "Degraded", "Starting", "Pause", "Pending"),
}
FORCED_PHASES = ("Stopping",)


def unfinished(world: World) -> list[Operation]:
    """The power operations on the VM that have not ended, oldest first."""
    found = [
        operation
        for operation in world.operations
        if operation.spec.type in ACTIONS
        and operation.status.phase not in TERMINAL
        and not operation.metadata.deleting
    ]
    return sorted(
        found, key=lambda operation: (operation.metadata.creation_timestamp, operation.uid)
    )


def in_progress(world: World) -> Operation | None:
    """The operation that is being carried out."""
    active = [item for item in unfinished(world) if item.status.phase == "InProgress"]
    return active[-1] if active else None


def may_supersede(old: Operation, new: Operation) -> bool:
    """Whether `new` may take the place of `old` (spec 9)."""
    if old.spec.type == "Start":
        return new.spec.type == "Stop"
    return not old.spec.force and new.spec.force and new.spec.type in ("Stop", "Restart")


def subject(operation: Operation) -> str:
    """UID of the instance that the operation is about; empty when there was none."""
    touched = operation.raw.get("status", {}).get("resources") or [{}]
    return str(touched[0].get("uid", ""))


def still_runs(world: World, operation: Operation) -> bool:
    """Whether the instance that a restart shall end is still there."""
    return world.instance is not None and world.instance.uid == subject(operation)


def reconcile(world: World) -> tuple[Write, ...]:
    """Move the operations on by one step each."""
    writes: list[Write] = []
    current = operations.in_progress(world)
    for operation in unfinished(world):
        if operation.status.phase == "InProgress":
            if operation.spec.type != "Stop" and not _alive(world):
                writes += operations.finish(world, operation, "Failed", *_not_found(world))
            elif current is operation and operations.done(world, operation):
                writes += operations.finish(world, operation, "Completed", "OperationCompleted", "")
            continue
        refusal = operations.refusal(world, operation)
        if refusal is not None:
            writes += operations.finish(world, operation, "Failed", *refusal)
        elif current is None:
            writes += operations.begin(world, operation)
            current = operation
        elif may_supersede(current, operation):
            message = f"superseded by operation {operation.name!r}"
            writes += operations.finish(world, current, "Superseded", "Superseded", message)
            writes += operations.begin(world, operation)
            current = operation
        else:
            message = f"operation {current.name!r} has not ended yet"
            writes += operations.finish(world, operation, "Failed", "NotReadyToBeExecuted", message)
    return tuple(writes)


def refusal(world: World, operation: Operation) -> tuple[str, str] | None:
    """Reason and message why the operation cannot be carried out, or None."""
    kind = operation.spec.type
    if not _alive(world):
        return _not_found(world)
    policy = world.vm.spec.run_policy
    if policy not in POLICIES[kind]:
        reason = "NotApplicableForVirtualMachineRunPolicy"
        return reason, f"{kind} does not apply to a virtual machine with run policy {policy}"
    phase = lifecycle.phase(world)
    allowed = PHASES[kind] + (FORCED_PHASES if operation.spec.force else ())
    if phase not in allowed:
        reason = "NotApplicableForVirtualMachinePhase"
        return reason, f"{kind} does not apply to a virtual machine in phase {phase}"
    return None


def done(world: World, operation: Operation) -> bool:
    """Whether the operation has reached its end."""
    match operation.spec.type:
        case "Stop":
            return world.instance is None
        case "Restart":
            replaced = world.instance is not None and not still_runs(world, operation)
            return replaced and lifecycle.started(world) and lifecycle.phase(world) == "Running"
    return lifecycle.started(world) and lifecycle.phase(world) == "Running"


def begin(world: World, operation: Operation) -> tuple[Write, ...]:
    """Record that the operation is being carried out, and on which instance."""
    kind = operation.spec.type
    instance = world.instance
    generation = operation.metadata.generation
    touched: list[Json] = []
    if instance is not None:
        touched.append(
            {
                "apiVersion": kinds.INTERNAL_INSTANCE.api_version,
                "kind": kinds.INTERNAL_INSTANCE.kind,
                "name": instance.name,
                "uid": instance.uid,
            }
        )
    sent = conditions.wanted("SignalSent", "True", "SignalSentSuccess", "", generation)
    going = _completed("False", f"{kind}InProgress", "", generation)
    extra: Json = {"resources": touched} if touched else {}
    return (_status(world, operation, "InProgress", [going, sent], extra),)


def finish(
    world: World, operation: Operation, phase: str, reason: str, message: str
) -> tuple[Write, ...]:
    """Record the end of the operation."""
    status: Status = "False" if phase == "Failed" else "True"
    completed = _completed(status, reason, message, operation.metadata.generation)
    return (_status(world, operation, phase, [completed], {}),)


def _alive(world: World) -> bool:
    return world.machine is not None and not world.machine.metadata.deleting


def _not_found(world: World) -> tuple[str, str]:
    return "VirtualMachineNotFound", f"VirtualMachine {world.name!r} is not found"


def _completed(status: Status, reason: str, message: str, generation: int) -> Condition:
    return conditions.wanted("Completed", status, reason, message, generation)


def _status(
    world: World, operation: Operation, phase: str, wanted: list[Condition], extra: Json
) -> MergePatch:
    stored = operation.raw.get("status", {}).get("conditions") or []
    status: Json = {
        "phase": phase,
        "observedGeneration": operation.metadata.generation,
        "conditions": conditions.merge(stored, wanted, (), world.now),
        **extra,
    }
    return MergePatch(
        kinds.VM_OPERATION,
        operation.namespace,
        operation.name,
        {"status": status},
        status=True,
        resource_version=operation.metadata.resource_version,
    )
