"""A mutant is shown to all scenarios of its clause and to some that it must spare."""

from __future__ import annotations

from e2e.selftest import choice
from e2e.selftest.mutants import Mutant
from e2e.selftest.mutants.mutant import EVERYTHING
from fixtures.conformance.catalogue import Scenario


def scenario(id: str, *clauses: str) -> Scenario:
    return Scenario(
        id=id, feature="f.feature", name=id, row="", line=1, tags=clauses, clauses=clauses
    )


def mutant(*breaks: str) -> Mutant:
    return Mutant("m", "vm", "x:y", "HP-01", "a defect", lambda original: original, breaks)


SCENARIOS = (
    scenario("a", "HP-01"),
    scenario("b", "VI-05"),
    scenario("c", "HP-02"),
    scenario("d", "HP-01", "UP-01"),
    scenario("e", "VI-05"),
    scenario("f", "MN-01"),
)


def test_all_of_its_clause_and_a_sample() -> None:
    assert choice.scenarios_for(mutant(), SCENARIOS) == ("a", "d", "b", "c")


def test_the_sample_leaves_out_what_may_break() -> None:
    assert choice.scenarios_for(mutant("VI-05"), SCENARIOS) == ("a", "d", "c", "f")


def test_a_defect_that_breaks_everything_has_no_sample() -> None:
    assert choice.scenarios_for(mutant(*EVERYTHING), SCENARIOS) == ("a", "d")
