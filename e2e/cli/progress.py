"""Lines about an environment that is coming up."""

from __future__ import annotations

from e2e.environments.embedded.events import (
    Event,
    Note,
    Ready,
    StageDone,
    StageStarted,
    StillAt,
)


def say(line: str) -> None:
    """One line, at once: whoever waits behind a pipe wants to see it too."""
    print(line, flush=True)


def tell(event: Event) -> None:
    """Shows what a rig reports; its failure is shown by whoever gets the exception."""
    match event:
        case StageStarted(stage=stage):
            say(f"environment: {stage} ...")
        case StillAt(stage=stage, seconds=seconds):
            say(f"environment: still at {stage} ({seconds:.0f} s)")
        case StageDone(stage=stage, seconds=seconds):
            say(f"environment: {stage} after {seconds:.1f} s")
        case Note(text=text):
            say(f"environment: {text}")
        case Ready(seconds=seconds):
            say(f"environment: up after {seconds:.1f} s")


def setup(line: str) -> None:
    """Shows a line of the set-up that comes first."""
    say(f"environment: {line}")
