"""Runs that come to their end: each way for a scenario to end has its verdict and exit code."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

ENDS = [
    ("nothing happens", "passed", 0),
    ('it raises "ExpectationNotMet"', "failed", 1),
    ("it asserts", "error", 4),
    ('it raises "EnvironmentUnfit"', "error", 3),
    ('it raises "Inconclusive"', "inconclusive", 7),
    ('it raises "NotSupported"', "not-supported", 5),
    ("it skips", "not-run", 5),
]


@pytest.mark.parametrize(("step", "verdict", "code"), ENDS)
def test_a_scenario_ends(planted: Any, step: str, verdict: str, code: int) -> None:
    planted.scenario("it", "Given all is well", f"Then {step}")
    outcome = planted.run()
    assert outcome.verdicts() == {"it": verdict}, outcome.output
    assert outcome.status == code, outcome.output
    assert outcome.report["exitCode"] == code


def test_an_expectation_that_a_given_or_a_teardown_finds_unmet_is_failed(planted: Any) -> None:
    planted.steps("""
        @given("it is not so")
        def it_is_not_so():
            raise errors.ExpectationNotMet("planted")

        @pytest.fixture
        def promise():
            yield
            raise errors.InvariantViolated("planted")

        @given("a promise")
        def a_promise(promise):
            pass
    """)
    planted.scenario("given", "Given it is not so", "Then nothing happens")
    planted.scenario("teardown", "Given a promise", "Then nothing happens", tags="@core @AA-02")
    outcome = planted.run()
    assert outcome.verdicts() == {"given": "failed", "teardown": "failed"}, outcome.output
    assert outcome.clauses()["AA-01"] == outcome.clauses()["AA-02"] == "failed"
    assert outcome.status == 1


@pytest.mark.parametrize("fault", ["assert False", "raise KeyError('planted')"])
def test_a_failing_fixture_is_a_broken_suite(planted: Any, fault: str) -> None:
    planted.steps(f"""
        @pytest.fixture
        def broken():
            {fault}

        @given("a broken fixture")
        def a_broken_fixture(broken):
            pass
    """)
    planted.scenario("it", "Given a broken fixture", "Then nothing happens")
    planted.scenario("other", "Given all is well", tags="@core @AA-02")
    outcome = planted.run()
    assert outcome.verdicts() == {"it": "error", "other": "passed"}, outcome.output
    assert 'a fixture of step "a broken fixture"' in outcome.report["scenarios"][0]["reason"]
    assert outcome.status == 4


def test_a_leak_has_its_exit_code_and_changes_no_verdict(planted: Any) -> None:
    planted.steps("""
        @pytest.fixture(scope="session")
        def reaper(recorder):
            yield
            recorder.record("leak", what="namespace x", scenario="")
            raise errors.Leak("namespace x")

        @given("something that leaks")
        def something_that_leaks(reaper):
            pass
    """)
    planted.scenario("it", "Given something that leaks")
    outcome = planted.run()
    assert (outcome.verdicts(), outcome.status) == ({"it": "passed"}, 8), outcome.output
    assert outcome.report["leaks"] == ["namespace x"]


def test_what_is_not_claimed_or_not_possible_is_not_supported_and_not_run(planted: Any) -> None:
    planted.scenario("plain", "Given all is well")
    planted.scenario("feature", "Then it asserts", tags="@extended @AA-03")
    outcome = planted.run()
    assert outcome.verdicts() == {"plain": "passed", "feature": "not-supported"}, outcome.output
    assert outcome.status == 0

    planted.scenario("lever", "Then it asserts", tags="@core @AA-01 @lever-pull-it")
    outcome = planted.run()
    assert outcome.verdicts()["lever"] == "not-supported"
    assert outcome.clauses()["AA-01"] == "not-supported"
    assert (outcome.status, outcome.report["certifiable"]) == (6, False)


def test_filters_and_profiles(planted: Any) -> None:
    planted.scenario("one", "Given all is well")
    planted.scenario("two", 'Then it raises "ExpectationNotMet"', tags="@core @AA-02")
    outcome = planted.run(clauses=["AA-01"])
    assert outcome.verdicts() == {"one": "passed", "two": "not-run"}, outcome.output
    assert outcome.status == 6

    outcome = planted.run(profile="upstream")
    assert outcome.clauses() == {"AA-01": "passed", "AA-02": "known-different"}
    assert (outcome.status, outcome.report["certifiable"]) == (0, False)


def test_an_empty_selection_executes_nothing(planted: Any) -> None:
    planted.scenario("one", "Given all is well")
    outcome = planted.run(clauses=["AA-02"])
    assert outcome.status == 5, outcome.output


def test_scenarios_run_side_by_side_and_those_alone_after_them(planted: Any) -> None:
    planted.scenario("last", "Given all is well", tags="@alone @core @AA-02")
    for number in range(4):
        planted.scenario(f"beside {number}", "Given all is well")
    planted.scenario("failing", 'Then it raises "ExpectationNotMet"')
    outcome = planted.run(workers=2, check=True)
    assert set(outcome.verdicts().values()) == {"passed", "failed"}, outcome.output
    assert (outcome.verdicts()["failing"], outcome.status) == ("failed", 1)

    journal = (planted.folder / "out" / "journal.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in journal.splitlines()]
    started = [record for record in records if record["kind"] == "scenario-started"]
    assert started[-1]["scenario"] == "area/planted:last"
    assert {record["worker"] for record in started[:-1]} == {"gw0", "gw1"}

    suite = ElementTree.parse(planted.folder / "out" / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "1", "0")


def test_the_namespace_of_a_failed_scenario_is_kept_on_request_and_is_no_leak(planted: Any) -> None:
    planted.steps("""
        @pytest.fixture
        def namespace(recorder, request, kept):
            name = "ns-" + request.node.name
            yield name
            if not kept(name):
                recorder.record("removed", namespace=name)

        @given("a namespace")
        def a_namespace(namespace):
            pass
    """)
    planted.scenario("good", "Given a namespace", "Then nothing happens")
    planted.scenario("bad", "Given a namespace", 'Then it raises "ExpectationNotMet"')
    outcome = planted.run(keep_failed=True)
    good, bad = outcome.report["scenarios"]
    assert (outcome.status, outcome.report["leaks"]) == (1, []), outcome.output
    assert bad["reason"].endswith("(namespace ns-test_bad is kept)")
    assert "kept" not in good["reason"]
    journal = (planted.folder / "out" / "journal.jsonl").read_text(encoding="utf-8")
    assert journal.count('"kind":"removed"') == 1
