"""What is read out of feature files, and what is found wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.conformance import catalogue
from fixtures.conformance.catalogue import Catalogue
from fixtures.conformance.contract import Clause, Contract

CONTRACT = Contract(
    {
        "AA-01": Clause(id="AA-01", level="core", text="one"),
        "AA-02": Clause(id="AA-02", level="extended", feature="Slots", text="two"),
    },
    {},
)
FEATURE = """
@core
Feature: F
  Background:
    Given a
    And b

  @AA-01 @alone @lever-hold-it
  Scenario: First one
    When c

  Rule: R
    Background:
      Given d

    @AA-02 @needs-Slots
    Scenario Outline: Named <x>
      Then <x>

      Examples:
        | x | y |
        | 1 | 2 |
        | 3 | 4 |

      @AA-01
      Examples:
        | x | y |
        | 5 | 6 |
"""


def read(folder: Path, text: str, name: str = "area/file.feature") -> Catalogue:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return catalogue.read(folder, CONTRACT)


def test_scenarios_rows_tags_and_steps(tmp_path: Path) -> None:
    found = read(tmp_path, FEATURE)
    assert found.troubles == ()
    assert [scenario.id for scenario in found.scenarios] == [
        "area/file:first-one",
        "area/file:named-x[1-2]",
        "area/file:named-x[3-4]",
        "area/file:named-x[5-6]",
    ]
    first, second, _, last = found.scenarios
    assert (first.tags, first.clauses) == (("AA-01", "alone", "core", "lever-hold-it"), ("AA-01",))
    assert (first.alone, first.levers, first.needs, first.level) == (True, ("hold_it",), (), "core")
    assert (first.steps, second.steps) == (3, 4)
    assert (second.alone, second.needs, second.clauses) == (False, ("Slots",), ("AA-02",))
    assert last.clauses == ("AA-01", "AA-02")
    assert [scenario.id for scenario in found.of("AA-01")] == [first.id, last.id]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Feature: F\n  Scenari: x\n    Given a\n", "bad feature: area/file.feature"),
        ("Feature: F\n", "has no scenario"),
        ("", "has no scenario"),
        ("Feature: F\n  Scenario: x\n    Given a\n", "carries no clause"),
        ("Feature: F\n  @AA-01 @typo\n  Scenario: x\n    Given a\n", "unknown tag @typo"),
        ("Feature: F\n  @AA-01 @lever-\n  Scenario: x\n    Given a\n", "unknown tag @lever-"),
        ("Feature: F\n  @AA-01 @needs-X\n  Scenario: x\n    Given a\n", "unknown tag @needs-X"),
        ("Feature: F\n  @AA-01 @core @robust\n  Scenario: x\n    Given a\n", "core, robust"),
        ("Feature: F\n  @AA-01\n  Scenario: x\n", "has no step"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, told: str) -> None:
    (trouble,) = read(tmp_path, text).troubles
    assert told in trouble


def test_two_scenarios_of_one_name_are_both_counted(tmp_path: Path) -> None:
    text = "Feature: F\n" + "  @AA-01\n  Scenario: Same\n    Given a\n" * 2
    found = read(tmp_path, text)
    assert len(found.scenarios) == 2
    assert 'has 2 scenarios or rows called "Same"' in found.troubles[0]


def test_names_that_end_in_one_id_are_duplicates_too(tmp_path: Path) -> None:
    text = "Feature: F\n"
    for name in ("Same one", "Same, one!"):
        text += f"  @AA-01\n  Scenario: {name}\n    Given a\n"
    assert "duplicate scenario name" in read(tmp_path, text).troubles[0]


def test_a_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.feature"
    path.write_bytes(b"\xff\xfe\x00")
    assert "bad.feature cannot be read" in catalogue.read(tmp_path, CONTRACT).troubles[0]


def test_the_listing_links_clauses_scenarios_and_mutants(tmp_path: Path) -> None:
    listed = catalogue.listing(read(tmp_path, FEATURE), CONTRACT, {"AA-01": ["m"]})
    first, second = listed["clauses"]
    assert first["scenarios"] == ["area/file:first-one", "area/file:named-x[5-6]"]
    assert (first["id"], first["level"], first["text"]) == ("AA-01", "core", "one")
    assert (first["mutants"], second["mutants"]) == (["m"], [])
    assert set(listed["scenarios"][0]) == {"id", "feature", "name", "tags"}
