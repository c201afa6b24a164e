"""What claims of both sorts of address, IP and MAC, have in common (spec 2.8)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_controller.api import conditions, kinds, writes
from reference_controller.api.conditions import Condition
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Json, Object
from reference_controller.api.writes import MergePatch, Write

HELD = ("", "Bound")
"""Phases of a lease of ours that holds. A new one has none yet: having made it is the hold."""


@dataclass(frozen=True)
class Binding:
    """Whether the address is held: the condition's status, reason and message, and the writes."""

    address: str
    reason: str
    message: str = ""
    writes: tuple[Write, ...] = ()

    @property
    def bound(self) -> bool:
        """Whether the lease is there and ours."""
        return self.reason == "Bound"


def claim_conditions(
    generation: int, hold: Binding, owner: VirtualMachine | None
) -> list[Condition]:
    """Bound and Attached, for claims of both sorts (spec 2.8)."""
    status: conditions.Status = "True" if hold.bound else "False"
    bound = conditions.wanted("Bound", status, hold.reason, hold.message, generation)
    if owner is not None:
        attached = conditions.wanted("Attached", "True", "Attached", "", generation)
    else:
        message = "no virtual machine uses it"
        reason = "VirtualMachineNotFound"
        attached = conditions.wanted("Attached", "False", reason, message, generation)
    return [bound, attached]


def claim_phase(bound: bool, owner: VirtualMachine | None) -> str:
    """The phase that follows from both conditions (spec 2.8)."""
    if not bound:
        return "Pending"
    return "Attached" if owner is not None else "Bound"


def status_patch(
    kind: kinds.Kind,
    item: Object,
    target: Json,
) -> tuple[Write, ...]:
    """The guarded status patch towards `target`, or none when it stands there."""
    patch = writes.difference(item.raw.get("status", {}), target)
    if not patch:
        return ()
    version = item.metadata.resource_version
    body = {"status": patch}
    return (
        MergePatch(kind, item.namespace, item.name, body, status=True, resource_version=version),
    )
