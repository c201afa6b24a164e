"""Each fault that pytest-bdd keeps quiet about is named, on a small suite of its own."""

from pathlib import Path

import pytest

from tools.checks import check_steps

FEATURE = """
@HP-01
Feature: Doors
  Scenario: Opening
    Given a door
    When it is opened 3 times
"""
CLAUSES = "clauses: [{id: HP-01, level: core, text: Doors open.}]"
PROFILES = "profiles: [{name: all, meaning: Everything., levels: [core]}]"
STEPS = """
from pytest_bdd import given, parsers, when

@given("a door")
def a_door(): ...

@when(parsers.parse("it is opened {times:d} times"))
def opened(times): ...
"""
BINDINGS = """
from pytest_bdd import scenarios
from sample.doors import *
scenarios("{root}/features/doors.feature")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for folder in ("features/contract", "sample", "bindings"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "features" / "contract" / "clauses.yaml").write_text(CLAUSES)
    (tmp_path / "features" / "contract" / "profiles.yaml").write_text(PROFILES)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers = HP-01\n")
    (tmp_path / "features" / "doors.feature").write_text(FEATURE)
    (tmp_path / "sample" / "doors.py").write_text(STEPS)
    (tmp_path / "bindings" / "test_doors.py").write_text(BINDINGS.format(root=tmp_path))
    return tmp_path


def check(suite: Path) -> list[str]:
    return check_steps.check(suite, Path("features"), "bindings", "sample", ())


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_a_suite_without_fault_has_no_complaint(suite: Path) -> None:
    assert check(suite) == []


def test_an_undefined_step_is_named_with_its_line(suite: Path) -> None:
    add(suite / "features" / "doors.feature", "    Then it creaks\n")
    (complaint,) = check(suite)
    assert """undefined step: "it creaks" in doors.feature:7""" in complaint


def test_two_definitions_that_fit_are_named(suite: Path) -> None:
    loose = '@when(parsers.parse("it is {anything}"))\ndef loose(anything): ...\n'
    add(suite / "sample" / "doors.py", loose)
    (complaint,) = check(suite)
    assert """ambiguous step: "it is opened 3 times" in doors.feature:6""" in complaint


def test_equal_sentences_of_two_modules_are_ambiguous(suite: Path) -> None:
    (suite / "sample" / "gates.py").write_text(
        'from pytest_bdd import given\n@given("a door")\ndef a_gate(): ...\n'
    )
    (suite / "conftest.py").write_text("from sample.gates import *\n")
    (complaint,) = check(suite)
    assert """ambiguous step: "a door" in doors.feature:5""" in complaint


def test_a_definition_without_a_sentence_is_dead(suite: Path) -> None:
    add(suite / "sample" / "doors.py", '@given("a window")\ndef a_window(): ...\n')
    assert check(suite) == ["sample.doors.a_window: no scenario uses this step; delete it"]


def test_a_scenario_that_vanishes_is_found_in_the_document(suite: Path) -> None:
    add(suite / "features" / "doors.feature", "  Scenario: Opening\n    Given a door\n")
    assert any(complaint.startswith("duplicate scenario name:") for complaint in check(suite))


def test_a_feature_that_nothing_binds_is_found(suite: Path) -> None:
    text = FEATURE.replace("Opening", "Forgotten")
    (suite / "features" / "forgotten.feature").write_text(text)
    (complaint,) = check(suite)
    assert complaint.startswith("unbound scenario: forgotten")


def test_each_row_of_an_outline_is_looked_up(suite: Path) -> None:
    add(
        suite / "features" / "doors.feature",
        "  Scenario Outline: Many\n    Given a <thing>\n"
        "    Examples:\n      | thing |\n      | door |\n      | hatch |\n",
    )
    (complaint,) = check(suite)
    assert """undefined step: "a hatch" in""" in complaint


def test_an_unknown_tag_stops_the_collection_and_is_shown(suite: Path) -> None:
    add(suite / "pytest.ini", "addopts = --strict-markers\n")
    add(suite / "features" / "doors.feature", "  @HP-1\n  Scenario: Typo\n    Given a door\n")
    misspelt, stopped = check(suite)
    assert "unknown tag @HP-1" in misspelt
    assert "cannot be collected" in stopped


def test_a_folder_without_features_is_a_complaint(suite: Path) -> None:
    (suite / "features" / "doors.feature").unlink()
    assert check(suite) == ["features/: no scenario found; there is nothing to check"]
