"""The virtual environment `.venv`: what `requirements.lock` pins, and the checkout itself."""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
STAMP = "plumbline.stamp"

Run = Callable[[str, list[str]], None]
"""Runs a stage: its title and its command."""


def fingerprint(checkout: Path = CHECKOUT, python: str = sys.version) -> str:
    """Changes whenever `.venv` must be made again."""
    digest = hashlib.sha256(python.encode())
    digest.update(str(checkout).encode())
    for name in ("requirements.lock", "pyproject.toml"):
        digest.update((checkout / name).read_bytes())
    return digest.hexdigest()


def is_current(checkout: Path = CHECKOUT, python: str = sys.version) -> bool:
    """Whether `.venv` was made, to its end, from what the checkout says now."""
    venv = checkout / ".venv"
    stamp = venv / STAMP
    return (
        stamp.exists()
        and stamp.read_text() == fingerprint(checkout, python)
        and (venv / "bin" / "plumbline").exists()
    )


def make(run: Run, checkout: Path = CHECKOUT, python: str = sys.version) -> None:
    """Makes `.venv`, or brings it up to date.

    The stamp comes last: an interrupted set-up begins again.
    """
    venv = checkout / ".venv"
    (venv / STAMP).unlink(missing_ok=True)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    # --clear only over another Python: an environment in use must not vanish under its user.
    run("making .venv", [sys.executable, "-m", "venv", str(venv)])
    lock = str(checkout / "requirements.lock")
    run("installing the locked Python packages", [*pip, "--require-hashes", "-r", lock])
    run(
        "installing the checkout",
        [*pip, "--no-deps", "--no-build-isolation", "--no-index", "-e", str(checkout)],
    )
    (venv / STAMP).write_text(fingerprint(checkout, python))
