"""Clauses without a mutant, and mutants without a scenario."""

import pytest

from fixtures.conformance.catalogue import Scenario
from tools.checks.check_clauses import check


def scenario(*clauses: str) -> Scenario:
    """A scenario that claims `clauses`."""
    return Scenario("a/b", "a.feature", "One", "", 1, clauses, clauses)


def test_a_claimed_clause_with_a_mutant_is_good() -> None:
    assert check([scenario("HP-01")], {"forgetful": ["HP-01"]}) == []


def test_a_claimed_clause_needs_a_mutant() -> None:
    (complaint,) = check([scenario("HP-01", "HP-02")], {"forgetful": ["HP-01"]})
    assert complaint.startswith('HP-02: claimed by "One" of a.feature, but no mutant breaks it')


def test_a_mutant_that_no_scenario_can_catch_is_named() -> None:
    (complaint,) = check([scenario("HP-01")], {"forgetful": ["HP-01", "HP-02"]})
    assert complaint == "mutant forgetful: breaks HP-02, which no scenario claims; correct it"


@pytest.mark.parametrize(
    ("scenarios", "mutants", "thing"),
    [([], {"forgetful": ["HP-01"]}, "scenario"), ([scenario("HP-01")], {}, "mutant")],
)
def test_nothing_to_check_is_a_complaint(
    scenarios: list[Scenario], mutants: dict[str, list[str]], thing: str
) -> None:
    assert check(scenarios, mutants) == [f"no {thing} found; there is nothing to check"]
