"""From scenarios to clauses; AA-01 core, AA-02 robust, AA-03 extended, AA-04 provisional."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.conformance.exits import Exit
from fixtures.conformance.verdicts import Judgement, judge


def scenarios(judgement: Judgement) -> dict[str, str]:
    return {found.id: found.verdict for found in judgement.scenarios}


def clauses(judgement: Judgement) -> dict[str, str]:
    return {found.id: found.verdict for found in judgement.clauses if found.scenarios}


class TestClauses:
    @pytest.mark.parametrize("bad", ["failed", "error", "inconclusive", "not-supported"])
    def test_the_worst_scenario_decides(self, story: Any, bad: str) -> None:
        story.plans("good")
        story.plans("bad", "AA-01", "AA-02")
        story.executes("good")
        story.executes("bad", bad)
        found = clauses(judge(story.told()))
        assert found == {"AA-01": bad, "AA-02": bad}

    def test_without_a_scenario_it_is_not_run_and_the_exit_code_stays(self, story: Any) -> None:
        story.plans("it")
        story.executes("it")
        judgement = judge(story.told())
        by_id = {found.id: found for found in judgement.clauses}
        assert (by_id["AA-02"].verdict, by_id["AA-02"].scenarios) == ("not-run", ())
        assert (judgement.exit, judgement.certifiable) == (Exit.CONFORMANT, False)

    def test_everything_passed_is_certifiable(self, story: Any) -> None:
        story.plans("it", "AA-01", "AA-02")
        story.executes("it")
        story.unclaimed = {"AA-03"}
        judgement = judge(story.told())
        assert (judgement.exit, judgement.certifiable) == (Exit.CONFORMANT, True)

    def test_a_declared_difference_fails_nobody_and_certifies_nothing(self, story: Any) -> None:
        story.plans("it", "AA-01", "AA-02")
        story.plans("other", "AA-02")
        story.executes("it")
        story.executes("other", "failed")
        story.unclaimed = {"AA-03"}
        story.differences = {"AA-02": "decided otherwise"}
        judgement = judge(story.told())
        assert clauses(judgement) == {"AA-01": "passed", "AA-02": "known-different"}
        assert (judgement.exit, judgement.certifiable) == (Exit.CONFORMANT, False)

    def test_a_declared_difference_excuses_no_other_clause(self, story: Any) -> None:
        story.plans("it", "AA-01", "AA-02")
        story.executes("it", "failed")
        story.differences = {"AA-02": "decided otherwise"}
        judgement = judge(story.told())
        assert clauses(judgement) == {"AA-01": "failed", "AA-02": "known-different"}
        assert judgement.exit is Exit.CLAUSE_FAILED

    @pytest.mark.parametrize("finding", ["failed", "inconclusive"])
    def test_a_provisional_clause_decides_nothing(self, story: Any, finding: str) -> None:
        story.plans("it", "AA-04")
        story.executes("it", finding)
        judgement = judge(story.told())
        assert clauses(judgement) == {"AA-04": finding}
        assert judgement.exit is Exit.CONFORMANT

    def test_a_provisional_scenario_that_breaks_still_breaks_the_suite(self, story: Any) -> None:
        story.plans("it", "AA-04")
        story.executes("it", "error")
        assert judge(story.told()).exit is Exit.SUITE_BROKEN


class TestWhatWasLeftOut:
    def test_a_filter_makes_it_uncertifiable(self, story: Any) -> None:
        story.plans("it")
        story.plans("other", "AA-02", fate="filtered")
        story.executes("it")
        judgement = judge(story.told())
        assert scenarios(judgement)["other"] == "not-run"
        assert (judgement.exit, judgement.certifiable) == (Exit.NOT_CERTIFIABLE, False)

    def test_a_skip_among_passes_makes_it_uncertifiable(self, story: Any) -> None:
        story.plans("it")
        story.plans("other", "AA-02")
        story.executes("it")
        story.executes("other", "skipped")
        assert judge(story.told()).exit is Exit.NOT_CERTIFIABLE

    def test_a_feature_that_is_not_claimed_is_no_loss(self, story: Any) -> None:
        story.plans("it", "AA-01", "AA-02")
        story.plans("slots", "AA-03", fate="unsupported", reason="not claimed")
        story.executes("it")
        story.unclaimed = {"AA-03"}
        judgement = judge(story.told())
        assert scenarios(judgement)["slots"] == "not-supported"
        assert (judgement.exit, judgement.certifiable) == (Exit.CONFORMANT, True)

    def test_a_lever_that_is_missing_is_a_loss(self, story: Any) -> None:
        story.plans("it")
        story.plans("lever", fate="unsupported", reason="no lever")
        story.executes("it")
        judgement = judge(story.told())
        assert clauses(judgement) == {"AA-01": "not-supported"}
        assert judgement.exit is Exit.NOT_CERTIFIABLE

    def test_a_filtered_provisional_scenario_is_no_loss(self, story: Any) -> None:
        story.plans("it")
        story.plans("other", "AA-04", fate="filtered")
        story.executes("it")
        assert judge(story.told()).exit is Exit.CONFORMANT
