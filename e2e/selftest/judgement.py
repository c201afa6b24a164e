"""What a run says of a planted defect; pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from e2e.selftest.mutants import Mutant
from fixtures.conformance.report import ScenarioReport


@dataclass(frozen=True)
class Outcome:
    """One part of the selftest: what was expected, and whether it was so.

    Attributes:
        name: of the mutant, or of the part.
        expected: in a few words.
        passed: it was so.
        found: what was found, in a few words.
        scenarios: verdicts by scenario id.
        clause: that had to catch it, empty for other parts.
    """

    name: str
    expected: str
    passed: bool
    found: str
    scenarios: dict[str, str]
    clause: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The outcome as a JSON object."""
        return asdict(self)


def of_mutant(
    mutant: Mutant, reports: Sequence[ScenarioReport], restarts: int, seconds: float
) -> Outcome:
    """Whether its clause caught a mutant and everything else was spared.

    `restarts`: how often the component came back after it was started with the defect; one that
    crashes proves nothing.
    """
    caught = [
        each.id for each in reports if each.verdict == "failed" and mutant.caught_by in each.clauses
    ]
    strays = [
        f"{each.id} {each.verdict}"
        for each in reports
        if each.verdict != "passed" and not mutant.may_break(each.clauses)
    ]
    if restarts:
        found = f"the component ended {restarts} time(s), so it shows no defect but a crash"
    elif not caught:
        found = f"no scenario of {mutant.caught_by} failed"
    elif strays:
        found = "outside its declared list: " + "; ".join(strays)
    else:
        found = f"caught by {len(caught)} scenario(s)"
    return Outcome(
        mutant.name,
        f"{mutant.caught_by} fails, nothing outside its declared list does",
        bool(caught) and not strays and not restarts,
        found,
        _verdicts(reports),
        mutant.caught_by,
        seconds,
    )


def of_baseline(reports: Sequence[ScenarioReport], seconds: float) -> Outcome:
    """Whether everything passes without a defect, with the selftest's budgets."""
    return _unanimous("baseline", "every scenario passes", "passed", reports, seconds)


def of_null(reports: Sequence[ScenarioReport], seconds: float) -> Outcome:
    """Whether everything fails where nobody does anything."""
    return _unanimous("null-controller", "every scenario fails", "failed", reports, seconds)


def of_fault(name: str, wanted: int, got: int, seconds: float) -> Outcome:
    """Whether a fault of the suite itself ends with its exit code."""
    return Outcome(name, f"exit code {wanted}", wanted == got, f"exit code {got}", {}, "", seconds)


def unproved(clauses: Collection[str], outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The clauses that no mutant has been caught by."""
    proved = {each.clause for each in outcomes if each.passed}
    return tuple(clause for clause in clauses if clause not in proved)


def _unanimous(
    name: str, expected: str, wanted: str, reports: Sequence[ScenarioReport], seconds: float
) -> Outcome:
    others = [f"{each.id} {each.verdict}" for each in reports if each.verdict != wanted]
    found = "; ".join(others) if others else f"{len(reports)} scenarios {wanted}"
    if not reports:
        found = "no scenario was run"
    return Outcome(
        name, expected, bool(reports) and not others, found, _verdicts(reports), "", seconds
    )


def _verdicts(reports: Sequence[ScenarioReport]) -> dict[str, str]:
    return {each.id: each.verdict for each in reports}
