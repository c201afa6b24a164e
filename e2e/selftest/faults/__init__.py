"""Faults of the suite itself, each with the exit code that must tell of it.

`python -m e2e.selftest.faults NAME OUT` is a run of a tiny specification with the fault planted; it
needs no environment. The folders `features/<NAME>` hold the specifications.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
DRIVER: Final = "PLUMBLINE_FAULT_DRIVER"
"""Process id of the run, for the fault that kills it."""


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        name: of its folder below `features`, and in the selftest's table with hyphens.
        exit_code: that a run must end with.
        clauses: what the run is narrowed to.
    """

    name: str
    exit_code: int
    clauses: tuple[str, ...] = ()
    workers: int = 1


FAULTS: Final = (
    Fault("undefined_step", 4),
    Fault("ambiguous_step", 4),
    Fault("duplicate_name", 4),
    Fault("failing_fixture", 4),
    Fault("dead_worker", 4, workers=2),
    Fault("empty_selection", 5, clauses=("AA-02",)),
    Fault("killed_run", 143),
)
