"""Clauses without a mutant, and mutants that nothing catches or that cannot be planted."""

import pytest

from e2e.selftest.mutants import Mutant
from fixtures.conformance.catalogue import Scenario
from tools.checks.check_clauses import check

CLAUSES = {"HP-01", "HP-02"}


def scenario(*clauses: str) -> Scenario:
    """A scenario that claims `clauses`."""
    return Scenario("a/b", "a.feature", "One", "", 1, clauses, clauses)


def mutant(
    clause: str, *breaks: str, target: str = "tools.checks.check_clauses:check"
) -> dict[str, Mutant]:
    """A defect in a function that exists, unless told otherwise."""
    one = Mutant("forgetful", "vm", target, clause, "Forgets.", lambda original: original, breaks)
    return {one.name: one}


def test_a_claimed_clause_with_a_mutant_is_good() -> None:
    assert check([scenario("HP-01")], CLAUSES, mutant("HP-01", "HP-02")) == []


def test_a_claimed_clause_needs_a_mutant_that_it_catches() -> None:
    (complaint,) = check([scenario("HP-01", "HP-02")], CLAUSES, mutant("HP-01", "HP-02"))
    assert complaint.startswith('HP-02: claimed by "One" of a.feature, but no mutant breaks it')


def test_a_mutant_that_no_scenario_can_catch_is_named() -> None:
    scenarios = [scenario("HP-01")]
    mutants = mutant("HP-01") | {"lazy": mutant("HP-02")["forgetful"]}
    assert check(scenarios, CLAUSES, mutants) == [
        "mutant lazy: no scenario claims HP-02 to catch it"
    ]


def test_a_mutant_cannot_break_what_does_not_exist() -> None:
    (complaint,) = check([scenario("HP-01")], CLAUSES, mutant("HP-01", "HP-99"))
    assert complaint.startswith("mutant forgetful: may break HP-99, which no clause is called")


def test_a_mutant_whose_function_is_gone_is_named() -> None:
    gone = mutant("HP-01", target="tools.checks.check_clauses:vanished")
    (complaint,) = check([scenario("HP-01")], CLAUSES, gone)
    assert complaint.startswith("mutant forgetful: ")
    assert "vanished" in complaint


@pytest.mark.parametrize(
    ("scenarios", "clauses", "mutants", "thing"),
    [
        ([], CLAUSES, mutant("HP-01"), "scenario"),
        ([scenario("HP-01")], set(), mutant("HP-01"), "clause"),
        ([scenario("HP-01")], CLAUSES, {}, "mutant"),
    ],
)
def test_nothing_to_check_is_a_complaint(
    scenarios: list[Scenario], clauses: set[str], mutants: dict[str, Mutant], thing: str
) -> None:
    assert check(scenarios, clauses, mutants) == [f"no {thing} found; there is nothing to check"]
