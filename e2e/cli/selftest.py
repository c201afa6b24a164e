"""`plumbline selftest`: whether the suite sees planted defects, and only those."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from e2e.cli import progress, usage
from e2e.cli.usage import UsageError
from e2e.environments import launch, preflight
from e2e.environments.launch import Launched
from e2e.selftest import run as selftests
from e2e.selftest.mutants import MUTANTS


def selftest(
    *,
    mutant: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    workers: Annotated[int, Parameter(name=["-n", "--workers"])] = selftests.WORKERS,
    out: Path = Path("results/selftest"),
) -> int:
    """Run the scenarios against planted defects, each of which they must catch.

    Parameters
    ----------
    mutant
        Only this defect; may be repeated.
    workers
        How many scenarios run side by side.
    out
        Folder for reports and evidence.
    """
    if workers < 1:
        raise UsageError(f"-n {workers}: at least one worker is needed")
    usage.require("mutant", mutant, MUTANTS)
    fit = preflight.check(progress.setup)
    numbers = count(1)

    @contextmanager
    def environments(controller: str = "") -> Iterator[Launched]:
        name = f"selftest-{os.getpid()}-{next(numbers)}"
        with launch.held(usage.request(name, controller, None), fit, progress.tell) as launched:
            yield launched

    request = selftests.Request(out, mutant, workers)
    return selftests.selftest(request, environments, progress.say).exit_code
