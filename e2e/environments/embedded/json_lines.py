"""Requests and answers over a unix socket: one JSON object a line each way."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]
ASK_SECONDS = 60.0


class Declined(Exception):
    """The other side could not do what was asked; the message says why."""


async def serve(path: Path, answer: Callable[[Json], Awaitable[Json]]) -> asyncio.Server:
    """Listens at `path`, for its owner only.

    `answer` gets the request and returns the answer, or raises Declined.
    """

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(await _answered(line, answer))
                await writer.drain()
        except ConnectionError:
            return
        finally:
            writer.close()

    before = os.umask(0o077)
    try:
        return await asyncio.start_unix_server(talk, path=path)
    finally:
        os.umask(before)


async def _answered(line: bytes, answer: Callable[[Json], Awaitable[Json]]) -> bytes:
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise Declined("a request is a JSON object")
        reply = await answer(request)
    except json.JSONDecodeError as error:
        reply = {"declined": f"no JSON: {error}"}
    except Declined as declined:
        reply = {"declined": str(declined)}
    return json.dumps(reply).encode() + b"\n"


def ask(path: Path, request: Json, *, within: float = ASK_SECONDS) -> Json:
    """Sends one request and waits for the answer.

    Raises:
        Declined: the other side says no.
        OSError: it is not there or does not answer within so many seconds.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(within)
        line.connect(str(path))
        line.sendall(json.dumps(request).encode() + b"\n")
        with line.makefile("rb") as answers:
            text = answers.readline()
    if not text:
        raise Declined(f"{path} closed the connection without an answer")
    reply: Json = json.loads(text)
    if "declined" in reply:
        raise Declined(str(reply["declined"]))
    return reply
