"""From what happened to verdicts; AA-01 core, AA-02 robust, AA-03 extended, AA-04 provisional."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from fixtures.conformance.exits import Exit
from fixtures.conformance.verdicts import WORST_FIRST, Judgement, judge, worst


def scenarios(judgement: Judgement) -> dict[str, str]:
    return {found.id: found.verdict for found in judgement.scenarios}


@pytest.mark.parametrize(
    ("findings", "verdict", "code"),
    [
        ([], "passed", Exit.CONFORMANT),
        (["failed"], "failed", Exit.CLAUSE_FAILED),
        (["error"], "error", Exit.SUITE_BROKEN),
        (["unfit"], "error", Exit.ENVIRONMENT_UNFIT),
        (["inconclusive"], "inconclusive", Exit.INCONCLUSIVE),
        (["not-supported"], "not-supported", Exit.NOTHING_EXECUTED),
        (["skipped"], "not-run", Exit.NOTHING_EXECUTED),
        (["leak"], "passed", Exit.LEAKED),
        (["failed", "error"], "failed", Exit.CLAUSE_FAILED),
        (["inconclusive", "failed"], "failed", Exit.CLAUSE_FAILED),
        (["inconclusive", "error"], "error", Exit.SUITE_BROKEN),
        (["failed", "leak"], "failed", Exit.CLAUSE_FAILED),
    ],
)
def test_one_scenario(story: Any, findings: list[str], verdict: str, code: Exit) -> None:
    story.plans("it")
    story.executes("it", *findings)
    judgement = judge(story.told())
    assert scenarios(judgement) == {"it": verdict}
    assert judgement.exit is code
    assert bool(judgement.problems) is bool(code)


class TestNeverAFalseGreen:
    def test_selected_but_never_begun(self, story: Any) -> None:
        story.plans("it")
        story.plans("forgotten")
        story.executes("it")
        judgement = judge(story.told())
        assert scenarios(judgement)["forgotten"] == "error"
        assert judgement.exit is Exit.SUITE_BROKEN

    def test_begun_but_never_ended(self, story: Any) -> None:
        story.plans("it")
        story.executes("it", finishes=False)
        judgement = judge(story.told())
        assert (scenarios(judgement)["it"], judgement.exit) == ("error", Exit.SUITE_BROKEN)
        assert "dead worker" in judgement.problems[0]

    def test_what_had_failed_before_its_worker_died_has_failed(self, story: Any) -> None:
        story.plans("it")
        story.executes("it", "failed", finishes=False)
        assert scenarios(judge(story.told())) == {"it": "failed"}

    def test_fewer_steps_than_it_has(self, story: Any) -> None:
        story.plans("it", steps=2)
        story.executes("it", steps=1)
        judgement = judge(story.told())
        assert (scenarios(judgement)["it"], judgement.exit) == ("error", Exit.SUITE_BROKEN)
        assert "1 of its 2 steps" in judgement.problems[0]

    def test_a_phase_that_nobody_reported(self, story: Any) -> None:
        story.plans("it")
        story.executes("it")
        story.records[-1]["phases"] = ["setup", "call"]
        judgement = judge(story.told())
        assert scenarios(judgement) == {"it": "error"}
        assert "teardown" in judgement.problems[0]

    def test_a_journal_that_breaks_off(self, story: Any) -> None:
        story.plans("it")
        story.executes("it")
        judgement = judge(story.told(finished=False))
        assert (judgement.exit, judgement.certifiable) == (Exit.SUITE_BROKEN, False)

    def test_an_empty_plan(self, story: Any) -> None:
        assert judge(story.told()).exit is Exit.NOTHING_EXECUTED

    def test_a_worker_that_died_between_two_scenarios(self, story: Any) -> None:
        story.plans("it")
        story.executes("it")
        story.record("worker-died", worker_id="gw0")
        assert judge(story.told()).exit is Exit.SUITE_BROKEN

    def test_a_broken_suite_leaves_the_rest_not_run(self, story: Any) -> None:
        story.plans("it")
        story.record("trouble", what="undefined step")
        judgement = judge(story.told())
        assert (scenarios(judgement)["it"], judgement.exit) == ("not-run", Exit.SUITE_BROKEN)
        assert judgement.problems == ("undefined step",)

    def test_a_finding_outside_any_scenario(self, story: Any) -> None:
        story.plans("it")
        story.executes("it")
        story.finds("", "error")
        assert judge(story.told()).exit is Exit.SUITE_BROKEN


class TestSeveralExecutions:
    def test_alike_is_no_flake(self, story: Any) -> None:
        story.plans("it")
        story.executes("it", "failed")
        story.executes("it", "failed")
        (found,) = judge(story.told()).scenarios
        assert (found.verdict, found.flaky, found.attempts) == ("failed", False, 2)

    @pytest.mark.parametrize("other", ["failed", "inconclusive"])
    def test_different_ones_are_flaky(self, story: Any, other: str) -> None:
        story.plans("it")
        story.executes("it")
        story.executes("it", other)
        judgement = judge(story.told())
        assert (judgement.scenarios[0].verdict, judgement.exit) == (
            "inconclusive",
            Exit.INCONCLUSIVE,
        )
        assert judgement.scenarios[0].flaky

    def test_an_error_among_them_is_still_the_suites(self, story: Any) -> None:
        story.plans("it")
        story.executes("it")
        story.executes("it", "error")
        assert judge(story.told()).exit is Exit.SUITE_BROKEN

    def test_a_provisional_flake_is_flaky_all_the_same(self, story: Any) -> None:
        story.plans("it", "AA-04")
        story.executes("it")
        story.executes("it", "failed")
        assert judge(story.told()).exit is Exit.INCONCLUSIVE

    def test_those_of_two_workers_are_kept_apart(self, story: Any) -> None:
        story.plans("it")
        story.worker = "gw0"
        story.executes("it", finishes=False)
        story.worker = "gw1"
        story.executes("it")
        (found,) = judge(story.told()).scenarios
        assert (found.verdict, found.flaky) == ("error", True)


class TestInterruptions:
    @pytest.mark.parametrize(
        ("number", "code"),
        [(signal.SIGINT, Exit.INTERRUPTED), (signal.SIGTERM, Exit.TERMINATED)],
    )
    def test_what_had_finished_keeps_its_verdict(self, story: Any, number: int, code: Exit) -> None:
        story.plans("done")
        story.plans("bad", "AA-02")
        story.plans("running")
        story.plans("waiting")
        story.executes("done")
        story.executes("bad", "failed")
        story.executes("running", finishes=False)
        story.record("interrupted", signal=int(number))
        judgement = judge(story.told())
        assert scenarios(judgement) == {
            "done": "passed",
            "bad": "failed",
            "running": "not-run",
            "waiting": "not-run",
        }
        assert (judgement.exit, judgement.certifiable) == (code, False)

    def test_the_first_signal_counts(self, story: Any) -> None:
        story.record("interrupted", signal=int(signal.SIGTERM))
        story.record("interrupted", signal=int(signal.SIGINT))
        assert judge(story.told()).exit is Exit.TERMINATED


def test_an_unfit_environment_explains_the_errors_of_the_suite(story: Any) -> None:
    story.plans("one")
    story.plans("two")
    story.executes("one", "unfit")
    story.executes("two", "error")
    assert judge(story.told()).exit is Exit.ENVIRONMENT_UNFIT


def test_a_leak_is_told_once_however_often_it_is_found(story: Any) -> None:
    story.plans("it")
    story.executes("it")
    story.record("leak", what="namespace a")
    story.record("leak", what="namespace b")
    story.finds("it", "leak", message="namespace a; namespace b")
    judgement = judge(story.told())
    assert judgement.problems == ("leaked: namespace a", "leaked: namespace b")


def test_the_worst_verdict() -> None:
    assert worst([]) == "not-run"
    assert worst(list(reversed(WORST_FIRST))) == "failed"
