"""Client for the QEMU Machine Protocol over a unix socket: commands, answers matched by id, events for everybody.

Any number of coroutines may share one client. A client whose machine is gone stays closed; to talk to a machine
again (the node agent came back) connect a new one: QEMU serves one client after another, not two at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class QmpError(Exception):
    """Anything that went wrong between us and QEMU."""


class QmpClosed(QmpError):
    """The machine is not there: nobody listens, or the connection ended."""


class QmpRefused(QmpError):
    """QEMU answered a command with an error; `command`, `error_class` and `description` say which."""

    def __init__(self, command: str, error_class: str, description: str) -> None: ...


@dataclass(frozen=True)
class Event:
    """One event of the machine. `seconds` is QEMU's clock (Unix time)."""

    name: str
    data: Mapping[str, Any]
    seconds: float


class Events:
    """Events since the subscription was made, in order. `next` raises QmpClosed after the last one."""

    async def next(self, *names: str, match: Callable[[Event], bool] = ...) -> Event: ...


class Qmp:
    """A connection past its greeting and capability negotiation."""

    @classmethod
    async def connect(cls, path: Path, *, within: float = 5.0) -> Qmp:
        """QmpClosed when nobody listens at `path` or greets within so many seconds."""

    async def execute(self, command: str, /, **arguments: Any) -> Any:
        """The `return` value. Underscores in argument names become dashes. QmpRefused, QmpClosed."""

    @contextmanager
    def subscribe(self) -> Iterator[Events]:
        """Events from now on. Subscribe first, act, then wait."""

    @property
    def closed(self) -> asyncio.Future[None]:
        """Done when the connection has ended, from either side."""

    async def close(self) -> None: ...
