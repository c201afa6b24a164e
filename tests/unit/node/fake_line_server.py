"""A server of JSON lines over a unix socket, like QMP and the guest agent; a test scripts it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

Request = dict[str, Any]


class Line:
    """The server's end of one connection."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def send(self, message: object, *, prefix: bytes = b"") -> None:
        self._writer.write(prefix + json.dumps(message).encode() + b"\n")

    def hang_up(self) -> None:
        self._writer.close()


Script = Callable[[Request, Line], Awaitable[None]]


@asynccontextmanager
async def serving(path: Path, script: Script, *, greeting: object = None) -> AsyncIterator[None]:
    """Serve `script(request, line)` for each request at `path`, perhaps after a greeting."""
    tasks: set[asyncio.Task[None]] = set()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        line = Line(writer)
        if greeting is not None:
            line.send(greeting)
        try:
            while received := await reader.readline():
                await script(json.loads(received.lstrip(b"\xff")), line)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_unix_server(client, str(path), limit=1 << 20)
    try:
        yield
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
