"""What a rig tells the process that started it: one JSON object a line.

The other way go its options (`options`) and later, perhaps, the leave to outlive its starter.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Hello:
    """The rig's process runs and waits for its options."""


@dataclass(frozen=True)
class StageStarted:
    """A part of the bring-up began."""

    stage: str


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


Event = Hello | StageStarted | StageDone | Note | Ready | Failed
_KINDS: dict[str, type[Event]] = {
    kind.__name__: kind for kind in (Hello, StageStarted, StageDone, Note, Ready, Failed)
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


@dataclass(frozen=True)
class Reporter:
    """Tells events to whoever listens."""

    tell: Callable[[Event], None]
    clock: Callable[[], float] = field(default=time.monotonic)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Tells the beginning and, unless an exception passes, the end of a part."""
        started = self.clock()
        self.tell(StageStarted(name))
        yield
        self.tell(StageDone(name, round(self.clock() - started, 3)))
