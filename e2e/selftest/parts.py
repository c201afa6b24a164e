"""The parts of a selftest: baseline, mutants, the null controller, faults of the suite itself."""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from e2e.environments.embedded.description import to_toml
from e2e.selftest import choice, judgement, planting
from e2e.selftest.faults import FAULTS, Fault
from e2e.selftest.judgement import Outcome
from e2e.selftest.mutants import Mutant
from e2e.selftest.planting import Control
from fixtures.conformance.catalogue import Scenario
from fixtures.conformance.passes import RunRequest, run
from fixtures.conformance.report import Report

BASELINE: Final = "baseline"
BUDGETS: Final = {
    "start": 30.0,
    "restart": 30.0,
    "nic": 8.0,
    "condition": 5.0,
    "release": 5.0,
    "repair": 10.0,
    "settle": 2.0,
}
"""Seconds. A defect is waited for to the end of a budget, so they are short; the baseline shows
that they are long enough for an implementation without one.
"""
NULL_BUDGETS: Final = {**BUDGETS, "start": 4.0, "condition": 3.0}
FAULT_SECONDS: Final = 120.0
FAULTS_AT_ONCE: Final = 2


@dataclass(frozen=True)
class Shared:
    """What all parts need.

    Attributes:
        scenarios: all that there are.
        out: folder of the selftest; each part has one of its own in it.
        tell: takes lines of progress.
    """

    scenarios: tuple[Scenario, ...]
    out: Path
    workers: int
    tell: Callable[[str], None]


def baseline(shared: Shared, environment: Path) -> Outcome:
    """Every scenario, without any defect."""
    begun = time.monotonic()
    report = _run(shared, BASELINE, environment, BUDGETS)
    return judgement.of_baseline(report.scenarios, _since(begun))


def null(shared: Shared, environment: Path) -> Outcome:
    """Every scenario, in an environment whose controller does nothing."""
    begun = time.monotonic()
    report = _run(shared, "null-controller", environment, NULL_BUDGETS)
    return judgement.of_null(report.scenarios, _since(begun))


def mutant(shared: Shared, environment: Path, control: Control, defect: Mutant) -> Outcome:
    """The scenarios that must catch a mutant and some that it must spare."""
    begun = time.monotonic()
    chosen = choice.scenarios_for(defect, shared.scenarios)
    with planting.planted(control, defect) as component:
        report = _run(shared, defect.name, environment, BUDGETS, chosen)
        restarts = component.restarts()
    asked = [each for each in report.scenarios if each.id in chosen]
    return judgement.of_mutant(defect, asked, restarts, _since(begun))


def faults(out: Path) -> Iterable[Outcome]:
    """Every fault of the suite, each a run of its own."""
    with ThreadPoolExecutor(max_workers=FAULTS_AT_ONCE) as pool:
        yield from pool.map(lambda each: _fault(each, out), FAULTS)


def _fault(fault: Fault, out: Path) -> Outcome:
    begun = time.monotonic()
    folder = out / fault.name
    folder.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, "-m", "e2e.selftest.faults", fault.name, str(folder)]
    with (folder / "output.log").open("wb") as log:
        ended = subprocess.run(
            argv, stdout=log, stderr=log, timeout=FAULT_SECONDS, check=False
        ).returncode
    name = fault.name.replace("_", "-")
    return judgement.of_fault(name, fault.exit_code, ended, _since(begun))


def _run(
    shared: Shared,
    name: str,
    environment: Path,
    budgets: Mapping[str, float],
    scenarios: tuple[str, ...] = (),
) -> Report:
    out = shared.out / name
    out.mkdir(parents=True, exist_ok=True)
    request = RunRequest(
        out=out,
        environment=with_budgets(environment, budgets, out / "environment.toml"),
        scenarios=scenarios,
        workers=shared.workers,
        # The baseline comes first and has seen that every step has its definition.
        check=name == BASELINE,
        selftest={"part": name},
    )
    return run(request, tell=lambda line: shared.tell(f"  {line}"))


def with_budgets(description: Path, budgets: Mapping[str, float], target: Path) -> Path:
    """A copy of an environment's description with these budgets, and no floor to measure."""
    document: dict[str, Any] = tomllib.loads(description.read_text(encoding="utf-8"))
    document.pop("floor", None)
    document["budgets"] = dict(budgets)
    target.write_text(to_toml(document), encoding="utf-8")
    return target


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 1)
