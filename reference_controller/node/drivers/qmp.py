"""Client for the QEMU Machine Protocol over a unix socket: commands, their answers, events.

Any number of coroutines may share one client. A client whose machine is gone stays closed; to talk
to a machine again (the node agent came back) connect a new one: QEMU serves one client after
another, not two at once.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LINE_LIMIT = 4 << 20
"""Bytes in one answer. The largest (a whole device tree) has some 100 kB."""


class QmpError(Exception):
    """Anything that went wrong between us and QEMU."""


class QmpClosed(QmpError):
    """The machine is not there: nobody listens, or the connection ended."""


class QmpRefused(QmpError):
    """QEMU answered a command with an error: see `command`, `error_class` and `description`."""

    def __init__(self, command: str, error_class: str, description: str) -> None:
        super().__init__(f"QEMU refuses {command}: {description} ({error_class})")
        self.command = command
        self.error_class = error_class
        self.description = description


@dataclass(frozen=True)
class Event:
    """One event of the machine. `seconds` is QEMU's clock (Unix time)."""

    name: str
    data: Mapping[str, Any]
    seconds: float


def _any(_: Event) -> bool:
    return True


class Events:
    """Events since the subscription was made, in order."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()

    def _put(self, event: Event | None) -> None:
        self._queue.put_nowait(event)

    async def next(self, *names: str, match: Callable[[Event], bool] = _any) -> Event:
        """The next event with one of these names (or any) that matches; others are dropped.

        Raises:
            QmpClosed: the connection ended first. Once raised, every later call raises it too.
        """
        while (event := await self._queue.get()) is not None:
            if (not names or event.name in names) and match(event):
                return event
        self._queue.put_nowait(None)
        raise QmpClosed(f"the machine went away before it sent {' or '.join(names) or 'an event'}")


class Qmp:
    """A connection past its greeting and capability negotiation."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._listeners: set[Events] = set()
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, path: Path, *, within: float = 5.0) -> Qmp:
        """Connect, read the greeting, negotiate.

        Raises:
            QmpClosed: nobody listens at `path`, or nobody greets in time (it has another client).
        """
        try:
            async with asyncio.timeout(within):
                reader, writer = await asyncio.open_unix_connection(str(path), limit=LINE_LIMIT)
                qmp = cls(reader, writer)
                try:
                    greeting = await reader.readline()
                    if not greeting:
                        raise QmpClosed(f"{path}: the machine closed the connection at once")
                    qmp._task = asyncio.create_task(qmp._read(), name=f"qmp {path}")
                    await qmp.execute("qmp_capabilities")
                except BaseException:
                    await qmp.close()
                    raise
        except TimeoutError as exc:
            raise QmpClosed(
                f"{path}: no greeting in {within:g} s; is another client connected?"
            ) from exc
        except OSError as exc:
            raise QmpClosed(f"{path}: no machine listens there: {exc}") from exc
        return qmp

    async def execute(self, command: str, /, **arguments: Any) -> Any:
        """The `return` value. Underscores in argument names become dashes.

        Raises:
            QmpRefused: QEMU answered with an error.
            QmpClosed: the machine went away without an answer; it may have done it.
        """
        if self._closed.done():
            raise QmpClosed(f"the machine went away before {command}")
        number = next(self._ids)
        request: dict[str, Any] = {"execute": command, "id": number}
        if arguments:
            request["arguments"] = {
                name.replace("_", "-"): value for name, value in arguments.items()
            }
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            self._writer.write(json.dumps(request).encode() + b"\n")
            with suppress(ConnectionError):  # the reader notices as well, and fails the answer
                await self._writer.drain()
            message = await answer
        finally:
            self._answers.pop(number, None)
        if "error" in message:
            error = message["error"]
            raise QmpRefused(command, error["class"], error["desc"])
        return message["return"]

    @contextmanager
    def subscribe(self) -> Iterator[Events]:
        """Events from now on. Subscribe first, act, then wait."""
        events = Events()
        self._listeners.add(events)
        if self._closed.done():
            events._put(None)
        try:
            yield events
        finally:
            self._listeners.discard(events)

    @property
    def is_closed(self) -> bool:
        """Whether the connection has ended."""
        return self._closed.done()

    async def wait_closed(self) -> None:
        """Return when the connection has ended, from either side."""
        await asyncio.shield(self._closed)

    async def close(self) -> None:
        """End the connection; the machine goes on."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._end()
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _read(self) -> None:
        try:
            while line := await self._reader.readline():
                self._dispatch(json.loads(line))
        except ConnectionError:
            pass  # what follows is the same as for an orderly end
        finally:
            self._end()

    def _dispatch(self, message: Mapping[str, Any]) -> None:
        if "event" in message:
            stamp = message["timestamp"]
            seconds = stamp["seconds"] + stamp["microseconds"] / 1e6
            event = Event(message["event"], message.get("data", {}), seconds)
            for listener in self._listeners:
                listener._put(event)
            return
        answer = self._answers.get(message.get("id", 0))
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _end(self) -> None:
        if self._closed.done():
            return
        self._closed.set_result(None)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(QmpClosed("the machine went away before it answered"))
        for listener in self._listeners:
            listener._put(None)
