"""A journal in the making, without a file."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.conformance import account as accounts
from fixtures.conformance.account import Account

CLAUSES = {"AA-01": "core", "AA-02": "robust", "AA-03": "extended", "AA-04": "provisional"}


class Story:
    """Records of a run, one second apart."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.plan: list[dict[str, Any]] = []
        self.unclaimed: set[str] = set()
        self.differences: dict[str, str] = {}
        self.worker = "main"

    def record(self, kind: str, **fields: Any) -> None:
        """Add one record."""
        at = float(len(self.records) + 1)
        head = {"kind": kind, "mono": at, "wall": 1_800_000_000.0 + at, "worker": self.worker}
        self.records.append({**head, "scenario": "", **fields})

    def plans(self, name: str, *clauses: str, **fields: Any) -> None:
        """Plan a scenario of some clauses."""
        told = {"fate": "selected", "reason": "", "steps": 1, **fields}
        self.plan.append({"id": name, "clauses": clauses or ("AA-01",), **told})

    def executes(self, name: str, *findings: str, steps: int = 1, finishes: bool = True) -> None:
        """Execute a scenario, with findings of these sorts in its call."""
        self.record("scenario-started", scenario=name)
        for _ in range(steps):
            self.record("step-started", scenario=name, text="s")
            self.record("step-finished", scenario=name, text="s")
        for found in findings:
            self.finds(name, found)
        if finishes:
            phases = ["setup", "call", "teardown"]
            self.record("scenario-finished", scenario=name, phases=phases)

    def finds(self, name: str, found: str, message: str = "m", place: str = "call") -> None:
        """Record an exception."""
        self.record(
            "finding", scenario=name, finding=found, place=place, error="E", message=message
        )

    def told(self, *, finished: bool = True) -> Account:
        """The account of the run."""
        clauses = [
            {
                "id": clause,
                "level": level,
                "claimed": clause not in self.unclaimed,
                "difference": self.differences.get(clause, ""),
            }
            for clause, level in CLAUSES.items()
        ]
        head = {
            "kind": "run",
            "mono": 0.0,
            "wall": 1_800_000_000.0,
            "worker": "run",
            "scenario": "",
            "version": "1",
            "tree_digest": "sha256:" + "0" * 64,
            "implementation": "i",
            "environment": "e",
            "profile": "all",
            "levels": ["core"],
            "selftest": None,
            "clauses": clauses,
            "plan": self.plan,
        }
        if finished:
            self.record("run-finished")
        return accounts.read([head, *self.records])


@pytest.fixture
def story() -> Story:
    """An empty run."""
    return Story()
