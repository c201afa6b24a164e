"""`make check`: runs every check to its end and says which ones complained.

Exit codes: 0 none complained; 1 some did.
"""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

BIN = Path(sys.executable).parent
CHECKS: Mapping[str, Sequence[str]] = {
    "format": (str(BIN / "ruff"), "format", "--check", "--quiet", "."),
    "lint": (str(BIN / "ruff"), "check", "--quiet", "."),
    "types": (str(BIN / "mypy"), "--no-error-summary"),
    "rooms": (str(BIN / "lint-imports"), "--no-cache"),
    "steps": (sys.executable, "-m", "tools.checks.check_steps"),
    "clauses": (sys.executable, "-m", "tools.checks.check_clauses"),
    "sizes": (sys.executable, "-m", "tools.checks.check_sizes"),
}


def main(checks: Mapping[str, Sequence[str]] = CHECKS) -> int:
    """Runs `checks` by name and command; returns the exit code."""
    failed = []
    for name, argv in checks.items():
        begun = time.monotonic()
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        verdict = "ok" if done.returncode == 0 else "FAILED"
        print(f"check {name}: {verdict} ({time.monotonic() - begun:.1f} s)", flush=True)
        if done.returncode != 0:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    if failed:
        print(f"{len(failed)} of {len(checks)} checks failed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
