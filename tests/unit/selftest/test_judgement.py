"""A mutant counts as caught only by its own clause, and only if nothing undeclared suffers."""

from __future__ import annotations

import pytest

from e2e.selftest import judgement
from e2e.selftest.mutants import Mutant
from e2e.selftest.mutants.mutant import EVERYTHING
from fixtures.conformance.report import ScenarioReport, Verdict


def mutant(*breaks: str) -> Mutant:
    return Mutant("m", "vm", "x:y", "HP-01", "a defect", lambda original: original, breaks)


def report(clause: str, verdict: Verdict) -> ScenarioReport:
    return ScenarioReport(id=f"s:{clause.lower()}", clauses=(clause,), verdict=verdict)


@pytest.mark.parametrize(
    ("breaks", "verdicts", "restarts", "passed"),
    [
        ((), {"HP-01": "failed", "VI-05": "passed"}, 0, True),
        ((), {"HP-01": "passed", "VI-05": "passed"}, 0, False),
        ((), {"HP-01": "error", "VI-05": "passed"}, 0, False),
        ((), {"HP-01": "failed", "VI-05": "failed"}, 0, False),
        ((), {"HP-01": "failed", "VI-05": "inconclusive"}, 0, False),
        (("VI-05",), {"HP-01": "failed", "VI-05": "failed"}, 0, True),
        (("VI-05",), {"HP-01": "passed", "VI-05": "failed"}, 0, False),
        (EVERYTHING, {"HP-01": "failed", "VI-05": "error"}, 0, True),
        ((), {"HP-01": "failed", "VI-05": "passed"}, 1, False),
        ((), {}, 0, False),
    ],
)
def test_outcome_of_a_mutant(
    breaks: tuple[str, ...], verdicts: dict[str, Verdict], restarts: int, passed: bool
) -> None:
    reports = [report(clause, verdict) for clause, verdict in verdicts.items()]
    assert judgement.of_mutant(mutant(*breaks), reports, restarts, 1.0).passed is passed


def test_a_stray_is_named() -> None:
    reports = [report("HP-01", "failed"), report("VI-05", "failed")]
    assert "s:vi-05 failed" in judgement.of_mutant(mutant(), reports, 0, 1.0).found


def test_baseline_needs_every_scenario_to_pass() -> None:
    assert judgement.of_baseline([report("HP-01", "passed")], 1.0).passed
    assert not judgement.of_baseline([report("HP-01", "not-run")], 1.0).passed
    assert not judgement.of_baseline([], 1.0).passed


def test_against_the_null_controller_an_error_is_not_a_failure() -> None:
    assert judgement.of_null([report("HP-01", "failed")], 1.0).passed
    assert not judgement.of_null([report("HP-01", "error")], 1.0).passed
    assert not judgement.of_null([], 1.0).passed


def test_a_clause_is_proved_by_a_caught_mutant_only() -> None:
    caught = judgement.of_mutant(mutant(), [report("HP-01", "failed")], 0, 1.0)
    missed = judgement.of_mutant(mutant(), [report("HP-01", "passed")], 0, 1.0)
    assert judgement.unproved(["HP-01", "HP-02"], [caught]) == ("HP-02",)
    assert judgement.unproved(["HP-01"], [missed]) == ("HP-01",)
