"""Which scenarios a planted defect is shown to; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from e2e.selftest.mutants import Mutant
from fixtures.conformance.catalogue import Scenario

SAMPLE: Final = ("VI-05", "HP-02", "MN-01", "UP-01", "HP-08")
"""Clauses that the sample of others is taken from, one scenario each, as different as can be."""
SAMPLE_SIZE: Final = 2


def scenarios_for(mutant: Mutant, scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """Ids of all scenarios of the clause that must catch it, and of a sample that it must spare."""
    must_catch = [each.id for each in scenarios if mutant.caught_by in each.clauses]
    spared = (each for each in scenarios if not mutant.may_break(each.clauses))
    return (*must_catch, *_sample(spared))


def _sample(scenarios: Iterable[Scenario]) -> list[str]:
    firsts: dict[str, str] = {}
    for scenario in scenarios:
        for clause in scenario.clauses:
            firsts.setdefault(clause, scenario.id)
    chosen = (firsts[clause] for clause in SAMPLE if clause in firsts)
    return list(dict.fromkeys(chosen))[:SAMPLE_SIZE]
