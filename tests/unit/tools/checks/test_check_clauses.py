"""Claims without a clause, and clauses without a mutant."""

from pathlib import Path

import pytest

from tools.checks.check_clauses import check
from tools.checks.gherkin import Scenario


def scenario(*tags: str) -> Scenario:
    return Scenario(Path("a.feature"), 1, "One", frozenset(tags), 1)


def test_a_claim_with_a_clause_and_a_mutant_is_good() -> None:
    assert check([scenario("HP-01", "alone")], {"HP-01", "HP-02"}, {"forgetful": ["HP-01"]}) == []


@pytest.mark.parametrize("tag", ["HP-99", "hp-01", "HP-1"])
def test_a_clause_that_does_not_exist_is_named(tag: str) -> None:
    (complaint,) = check([scenario("HP-01", tag)], {"HP-01"}, {"forgetful": ["HP-01"]})
    assert f"claims {tag}, which no clause is called" in complaint


def test_a_scenario_must_claim_something() -> None:
    scenarios = [scenario("HP-01"), scenario("alone")]
    (complaint,) = check(scenarios, {"HP-01"}, {"forgetful": ["HP-01"]})
    assert "claims no clause" in complaint


def test_a_claimed_clause_needs_a_mutant() -> None:
    (complaint,) = check([scenario("HP-01", "HP-02")], {"HP-01", "HP-02"}, {"m": ["HP-01"]})
    assert complaint.startswith("HP-02: claimed by a.feature:1")
    assert "no mutant breaks it" in complaint


def test_a_mutant_that_no_scenario_can_catch_is_named() -> None:
    (complaint,) = check([scenario("HP-01")], {"HP-01", "HP-02"}, {"m": ["HP-01", "HP-02"]})
    assert complaint == "mutant m: breaks HP-02, which no scenario claims; correct it"


@pytest.mark.parametrize(
    ("scenarios", "clauses", "mutants", "thing"),
    [
        ([], {"HP-01"}, {"m": ["HP-01"]}, "scenario"),
        ([scenario("HP-01")], set(), {"m": ["HP-01"]}, "clause"),
        ([scenario("HP-01")], {"HP-01"}, {}, "mutant"),
    ],
)
def test_nothing_to_check_is_a_complaint(
    scenarios: list[Scenario], clauses: set[str], mutants: dict[str, list[str]], thing: str
) -> None:
    assert check(scenarios, clauses, mutants) == [f"no {thing} found; there is nothing to check"]
