"""Defects in how a network leaves a running VM: UP-01, UP-02."""

from __future__ import annotations

from typing import Any, Final

from e2e.selftest.mutants.mutant import Function, Mutant

RELEASE: Final = "reference_controller.vm.plan.release"


def _nothing_leaves(original: Function) -> Function:
    def interfaces(world: Any, verdict: Any, desired: Any, state: Any) -> Any:
        found = original(world, verdict, desired, state)
        return [{key: nic[key] for key in nic if key != "state"} for nic in found]

    return interfaces


def _forgets_at_once(_: Function) -> Function:
    return lambda *_: ()


def _never_forgets(_: Function) -> Function:
    return lambda _, address: bool(address)


MUTANTS: Final = (
    Mutant(
        "nothing-leaves",
        "vm",
        "reference_controller.vm.plan.template:interfaces",
        "UP-01",
        "the NIC of a removed network stays in the VM",
        _nothing_leaves,
        ("HP-24", "UP-02"),
    ),
    Mutant(
        "forgets-at-once",
        "vm",
        f"{RELEASE}:retained",
        "UP-02",
        "a removed network leaves the status before it leaves the guest",
        _forgets_at_once,
    ),
    Mutant(
        "never-forgets",
        "vm",
        f"{RELEASE}:holds",
        "UP-02",
        "a removed network stays in the status for ever",
        _never_forgets,
    ),
)
