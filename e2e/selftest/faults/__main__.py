"""One run of the suite with a fault planted; its exit code is what the selftest judges."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from e2e.selftest.faults import DRIVER, FAULTS, FOLDER, Fault
from fixtures.conformance.passes import RunRequest, run

PLUGINS = ("fixtures.conformance.plugin", "e2e.selftest.faults.sentences")


def request(fault: Fault, out: Path) -> RunRequest:
    """The run that shows a fault."""
    return RunRequest(
        out=out,
        environment=FOLDER / "environment.toml",
        clauses=fault.clauses,
        workers=fault.workers,
        bindings=FOLDER / "bindings",
        features=FOLDER / "features" / fault.name,
        contract=FOLDER / "contract",
        plugins=PLUGINS,
        preflight=lambda _: None,
        environ={DRIVER: str(os.getpid())},
    )


def main(argv: Sequence[str]) -> int:
    """Run; the exit code is that of the run."""
    name, out = argv
    fault = next(each for each in FAULTS if each.name == name)
    return run(request(fault, Path(out))).exitCode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
