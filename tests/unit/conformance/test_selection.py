"""Which scenarios run, and why the others do not."""

from __future__ import annotations

import pytest

from fixtures.conformance.catalogue import Catalogue, Scenario
from fixtures.conformance.contract import Clause, Contract, Profile
from fixtures.conformance.selection import (
    Abilities,
    Choice,
    Selection,
    UnknownSelection,
    choose,
)

CLAUSES = (
    Clause(id="AA-01", level="core", text="t"),
    Clause(id="AA-02", level="robust", text="t"),
    Clause(id="BB-01", level="extended", feature="Slots", text="t"),
)
CONTRACT = Contract(
    {clause.id: clause for clause in CLAUSES},
    {
        "all": Profile(name="all", meaning="m", levels=("core", "robust", "extended")),
        "core": Profile(name="core", meaning="m", levels=("core",)),
        "area": Profile(name="area", meaning="m", levels=("core", "extended"), areas=("BB",)),
    },
)


def scenario(name: str, *tags: str) -> Scenario:
    clauses = tuple(tag for tag in tags if tag in CONTRACT.clauses)
    return Scenario(name, "f.feature", name, "", 1, tags, clauses)


CATALOGUE = Catalogue(
    (
        scenario("plain", "core", "AA-01"),
        scenario("strict", "robust", "AA-01", "AA-02"),
        scenario("slots", "extended", "BB-01"),
        scenario("lever", "core", "AA-01", "lever-hold-it"),
        scenario("nodes", "core", "AA-01", "needs-MultiNode"),
    )
)
EVERYTHING = Abilities(("Slots", "MultiNode"), ("hold_it",))


def chosen(selection: Selection, abilities: Abilities = EVERYTHING) -> Choice:
    return choose(CATALOGUE, CONTRACT, selection, abilities)


def names(choice: Choice) -> list[str]:
    return [found.id for found in choice.selected]


def test_a_profile_takes_the_scenarios_of_its_clauses() -> None:
    assert names(chosen(Selection("all"))) == ["plain", "strict", "slots", "lever", "nodes"]
    assert names(chosen(Selection("area"))) == ["slots"]
    assert chosen(Selection("area")).claimed == ("BB-01",)


def test_a_scenario_that_asks_for_more_than_the_profile_does_is_not_of_it() -> None:
    assert "strict" not in names(chosen(Selection("core")))
    assert "strict" not in chosen(Selection("core")).filtered


def test_a_level_narrows_the_claim_and_filters_nothing() -> None:
    choice = chosen(Selection("all", levels=("robust",)))
    assert (choice.claimed, names(choice)) == (("AA-02",), ["strict"])
    assert not choice.filtered


def test_filters_leave_scenarios_of_the_claim_out() -> None:
    choice = chosen(Selection("all", clauses=("AA-02",)))
    assert names(choice) == ["strict"]
    assert choice.filtered == {"plain", "slots", "lever", "nodes"}
    assert names(chosen(Selection("all", scenarios=("plain", "slots")))) == ["plain", "slots"]


def test_what_the_environment_cannot_do_is_unsupported_with_its_reason() -> None:
    choice = chosen(Selection("all"), Abilities())
    assert names(choice) == ["plain", "strict"]
    assert choice.unclaimed == {"BB-01"}
    assert choice.unsupported == {
        "slots": "the implementation does not claim Slots",
        "lever": "the environment has no lever hold_it",
        "nodes": "the implementation does not claim MultiNode",
    }


@pytest.mark.parametrize(
    "selection",
    [
        Selection("none"),
        Selection("all", levels=("basic",)),
        Selection("all", clauses=("ZZ-01",)),
        Selection("all", scenarios=("nobody",)),
    ],
)
def test_what_does_not_exist_is_refused(selection: Selection) -> None:
    with pytest.raises(UnknownSelection, match=r"called '(none|basic|ZZ-01|nobody)'"):
        chosen(selection)
