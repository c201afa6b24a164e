"""`plumbline down`: ends an environment and everything it made."""

from __future__ import annotations

from e2e.cli import progress
from e2e.cli.up import DEFAULT_NAME
from e2e.environments import running


def down(*, name: str | None = None) -> int:
    """End an environment that `up` has left running.

    Parameters
    ----------
    name
        Its name; by default the one that `up` gives.
    """
    there = running.rigs()
    if name is None and not any(rig.name == DEFAULT_NAME for rig in there):
        others = ", ".join(rig.name for rig in there)
        progress.say("nothing to end" + (f" (running: {others}; give a --name)" if others else ""))
        return 0
    rig = running.find(name or DEFAULT_NAME)
    running.stop(rig)
    progress.say(f"environment {rig.name!r} has ended; nothing of it is left")
    return 0
