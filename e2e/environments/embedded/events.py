"""What a rig tells the process that started it: one JSON object a line.

The other way go its options (`options`) and later, perhaps, the leave to outlive its starter.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Hello:
    """The rig's process runs and waits for its options."""


@dataclass(frozen=True)
class StageStarted:
    """A part of the bring-up began."""

    stage: str


@dataclass(frozen=True)
class StillAt:
    """A part takes long."""

    stage: str
    seconds: float


@dataclass(frozen=True)
class StageDone:
    """A part of the bring-up ended well."""

    stage: str
    seconds: float


@dataclass(frozen=True)
class Note:
    """Something that the user should know and that does not end the bring-up."""

    text: str


@dataclass(frozen=True)
class Ready:
    """The environment is up."""

    seconds: float


@dataclass(frozen=True)
class Failed:
    """The environment cannot come up.

    Attributes:
        part: the process or stage that failed.
        log: its last lines.
    """

    part: str
    message: str
    log: tuple[str, ...] = ()


Event = Hello | StageStarted | StillAt | StageDone | Note | Ready | Failed
_KINDS: dict[str, type[Event]] = {
    kind.__name__: kind for kind in (Hello, StageStarted, StillAt, StageDone, Note, Ready, Failed)
}


def encode(event: Event) -> str:
    """One line."""
    return json.dumps({"event": type(event).__name__, **asdict(event)}) + "\n"


def decode(line: str) -> Event:
    """The event of one line.

    Raises:
        ValueError: the line is none.
    """
    raw = json.loads(line)
    if not isinstance(raw, dict) or raw.get("event") not in _KINDS:
        raise ValueError(f"not an event of a rig: {line!r}")
    kind = _KINDS[raw.pop("event")]
    if "log" in raw:
        raw["log"] = tuple(raw["log"])
    return kind(**raw)


class Reporter:
    """Tells events to whoever listens, and knows what is going on."""

    def __init__(
        self, tell: Callable[[Event], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._current: tuple[str, float] | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Tells the beginning and, unless an exception passes, the end of a part."""
        started = self._clock()
        self._current = name, started
        self._tell(StageStarted(name))
        yield
        self._current = None
        self._tell(StageDone(name, round(self._clock() - started, 3)))

    def still(self) -> None:
        """Tells which part it is that takes so long."""
        if self._current is not None:
            name, started = self._current
            self._tell(StillAt(name, round(self._clock() - started, 3)))
