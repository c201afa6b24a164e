"""Faults of the suite itself: found before anything runs where they can be, and never a pass."""

from __future__ import annotations

from typing import Any

import pytest


def expect_broken(outcome: Any, told: str) -> None:
    """The run says that the suite is broken, and why; nothing passed."""
    assert outcome.status == 4, outcome.output
    assert any(told in problem for problem in outcome.report["problems"]), outcome.output
    assert "passed" not in outcome.verdicts().values()
    assert outcome.report["certifiable"] is False


def test_an_undefined_step(planted: Any) -> None:
    planted.scenario("it", "Given all is well", "Then nobody defined this")
    expect_broken(planted.run(check=True), 'undefined step: "nobody defined this"')


def test_an_undefined_step_that_nobody_checked_for(planted: Any) -> None:
    planted.scenario("it", "Given all is well", "Then nobody defined this")
    outcome = planted.run(check=False)
    assert (outcome.verdicts(), outcome.status) == ({"it": "error"}, 4), outcome.output
    assert 'undefined step "nobody defined this"' in outcome.report["scenarios"][0]["reason"]


def test_an_ambiguous_step(planted: Any) -> None:
    planted.steps("""
        @given(parsers.parse("all is {how}"))
        def all_is(how):
            pass
    """)
    planted.scenario("it", "Given all is well")
    expect_broken(planted.run(check=True), 'ambiguous step: "all is well"')


def test_bad_gherkin(planted: Any) -> None:
    planted.scenario("it", "Given all is well")
    planted.write("features/area/bad.feature", "Feature: Bad\n  Scenari: no\n    Given it\n")
    expect_broken(planted.run(check=True), "bad feature: area/bad.feature")


def test_two_scenarios_of_one_name(planted: Any) -> None:
    planted.scenario("it", "Given all is well")
    planted.scenario("it", 'Then it raises "ExpectationNotMet"')
    expect_broken(planted.run(check=True), "duplicate scenario name")


def test_a_tag_that_is_no_clause(planted: Any) -> None:
    planted.scenario("it", "Given all is well", tags="@core @AA-1")
    planted.scenario("other", "Given all is well")
    expect_broken(planted.run(check=True), "unknown tag @AA-1")


def test_a_scenario_that_no_module_binds(planted: Any) -> None:
    planted.scenario("it", "Given all is well")
    planted.write(
        "features/elsewhere/other.feature",
        "Feature: Other\n  @core @AA-02\n  Scenario: forgotten\n    Given all is well\n",
    )
    expect_broken(planted.run(check=True), "unbound scenario: elsewhere/other:forgotten")


def test_steps_that_cannot_be_imported(planted: Any) -> None:
    planted.scenario("it", "Given all is well")
    planted.write("bindings/test_area.py", "import no_such_module\n")
    expect_broken(planted.run(check=True), "no_such_module")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_process(planted: Any, workers: int) -> None:
    """Without workers the whole pass dies; with them one dies, and another takes its place."""
    planted.scenario("dies", "Given all is well", "Then its process is killed")
    planted.scenario("second", "Given all is well")
    planted.scenario("third", "Given all is well")
    outcome = planted.run(workers=workers)
    assert outcome.status == 4, outcome.output
    assert outcome.verdicts()["dies"] == "error"
    assert any("dead worker" in problem for problem in outcome.report["problems"])
    if workers > 1:
        assert outcome.verdicts()["third"] == "passed"
