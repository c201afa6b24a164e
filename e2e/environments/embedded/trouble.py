"""Why a rig cannot come up."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from pathlib import Path

LAST_LINES = 15
_TAIL_BYTES = 16_384


class BringUpFailed(Exception):
    """A part of the environment does not come up.

    Attributes:
        part: the process or stage.
        log: the last lines that the part wrote.
    """

    def __init__(self, part: str, message: str, log: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.part = part
        self.message = message
        self.log = tuple(log)


def tail(log: Path, lines: int = LAST_LINES) -> tuple[str, ...]:
    """The last lines of a log; none where there is no log yet."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ()
    return tuple(text.splitlines()[-lines:])


def how(status: int) -> str:
    """An exit status in words; negative for a signal."""
    if status >= 0:
        return f"ended with status {status}"
    return f"was ended by signal {-status} ({signal.strsignal(-status)})"
