"""To which VM an address object is attached (spec 6 "Attached", 4.7, D5, D11, B12, B30)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Object

from .world import Neighbour

Names = Callable[[VirtualMachine], bool]


def holder(
    claim: Object, candidates: Iterable[Neighbour], in_status: Names, in_spec: Names
) -> VirtualMachine | None:
    """The VM that has `claim`: whose status names it, else whose spec does, else its owner.

    Where several do, the oldest. A deleted VM without pods has nothing. An object that is being
    deleted stays with its present user and is given to nobody else (D19).
    """
    alive = sorted(
        (one for one in candidates if not one.holds_nothing), key=lambda one: one.seniority
    )
    machines = [one.machine for one in alive]
    present = [machine for machine in machines if in_status(machine)]
    if present or claim.metadata.deleting:
        return next(iter(present), None)
    asking = [machine for machine in machines if in_spec(machine)]
    owner = claim.metadata.controller
    owning = [machine for machine in machines if owner is not None and owner.uid == machine.uid]
    return next(iter([*asking, *owning]), None)
