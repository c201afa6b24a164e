"""The report and its schema, and the views of it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import jsonschema
import pytest
from rich.console import Console

from fixtures.conformance import assembly, contract, junit, report, table
from fixtures.conformance.exits import Exit
from fixtures.conformance.report import SCHEMA_FILE, Report
from fixtures.conformance.verdicts import judge

ROOT = Path(__file__).parents[3]


@pytest.fixture
def made(story: Any) -> Report:
    """A report of one passed, one failed and one filtered scenario, and a leak."""
    story.plans("area/file:good")
    story.plans("area/file:bad", "AA-02")
    story.plans("area/file:left", "AA-01", fate="filtered")
    story.executes("area/file:good")
    story.executes("area/file:bad", "failed")
    story.record("leak", what="namespace \x00 <a>")
    story.record("budget", name="nic", allowed=10.0, needed=1.5, what="w")
    story.record("budget", name="nic", allowed=10.0, needed=0.5, what="w")
    story.record("floor", seconds={"device_add": 0.01, "lease": 0.5, "unplug": 0.2})
    story.record("evidence", scenario="area/file:bad", path="evidence/bad")
    story.record("kept", scenario="area/file:bad", namespace="plumbline-x")
    account = story.told()
    stages = {"area/file:good": {"admission": 0.1, "lease": 0.4}, "area/file:bad": {}}
    return assembly.assemble(account, judge(account), stages)


def test_a_report_keeps_to_its_schema_and_comes_back_alike(made: Report, tmp_path: Path) -> None:
    report.write(made, tmp_path / "report.json")
    assert report.load(tmp_path / "report.json") == made


def test_everything_is_in_it(made: Report) -> None:
    good, bad, left = made.scenarios
    assert (good.verdict, bad.verdict, left.verdict) == ("passed", "failed", "not-run")
    assert (good.stages, good.floor) == (
        {"admission": 0.1, "lease": 0.4},
        {"lease": 0.5},
    )
    assert (bad.stages, bad.floor, bad.evidence) == ({}, {}, "evidence/bad")
    assert bad.reason.endswith("(namespace plumbline-x is kept)")
    assert good.durationSeconds == 3.0
    assert made.budgets["nic"].needed == 1.5
    assert made.exitCode == Exit.CLAUSE_FAILED
    assert made.startedAt == "2027-01-15T08:00:00.000+00:00"
    assert made.clauses["AA-01"].scenarios == ("area/file:good", "area/file:left")


def test_the_schema_is_one_and_names_the_same_fields_as_the_model() -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(Report.model_fields)
    scenario = schema["properties"]["scenarios"]["items"]
    assert set(scenario["properties"]) == set(report.ScenarioReport.model_fields)
    assert set(scenario["required"]) == set(scenario["properties"])
    assert schema["$defs"]["verdict"]["enum"] == list(get_args(report.Verdict))
    assert schema["properties"]["exitCode"]["enum"] == sorted(Exit)
    assert schema["$defs"]["level"]["enum"] == list(contract.LEVELS)


@pytest.mark.parametrize(
    ("field", "value"),
    [("exitCode", 9), ("schemaVersion", 2), ("startedAt", "yesterday"), ("more", 1)],
)
def test_what_breaks_the_schema_is_refused(
    made: Report, tmp_path: Path, field: str, value: Any
) -> None:
    body = {**made.model_dump(mode="json"), field: value}
    (tmp_path / "report.json").write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(ValueError, match=r"report\.schema\.json"):
        report.load(tmp_path / "report.json")


def parsed(made: Report, folder: Path) -> ElementTree.Element:
    junit.write(made, folder / "junit.xml")
    return ElementTree.parse(folder / "junit.xml").getroot()[0]


def test_junit_has_our_verdicts(made: Report, tmp_path: Path) -> None:
    suite = parsed(made, tmp_path)
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["3", "1", "0", "1"]
    assert [case.get("name") for case in suite] == ["good", "bad", "left"]


def test_junit_tells_of_a_leak_that_no_scenario_shows(made: Report, tmp_path: Path) -> None:
    passed = tuple(found for found in made.scenarios if found.verdict == "passed")
    leaked = made.model_copy(update={"scenarios": passed, "exitCode": int(Exit.LEAKED)})
    suite = parsed(leaked, tmp_path)
    assert (suite.get("tests"), suite.get("errors")) == ("2", "1")
    assert "leaked: namespace ? <a>" in str(suite[1][0].get("message"))


def test_the_table_shows_verdicts_times_and_the_exit_code(made: Report) -> None:
    screen = io.StringIO()
    clauses = contract.load(ROOT / "features" / "contract")
    Console(file=screen, width=120).print(table.render(made, clauses))
    text = screen.getvalue()
    for told in ("AA-01", "failed", "admission", "500", "exit code 1: a clause failed", "leaked"):
        assert told in text
    assert "clauses: 1 failed, 3 not-run (2 without a scenario)" in text
