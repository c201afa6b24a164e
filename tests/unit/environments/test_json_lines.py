"""Requests and answers over a unix socket."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from e2e.environments.embedded import json_lines
from e2e.environments.embedded.json_lines import Declined, Json


async def answer(request: Json) -> Json:
    if request.get("please") is None:
        raise Declined("say please")
    return {"echo": request["please"]}


def asked(path: Path, request: Json) -> Json:
    async def talk() -> Json:
        async with await json_lines.serve(path, answer):
            return await asyncio.to_thread(json_lines.ask, path, request, within=5.0)

    return asyncio.run(talk())


def test_an_answer(tmp_path: Path) -> None:
    assert asked(tmp_path / "s", {"please": [1, "x"]}) == {"echo": [1, "x"]}


def test_the_socket_is_its_owners_only(tmp_path: Path) -> None:
    asked(tmp_path / "s", {"please": 1})
    assert (tmp_path / "s").stat().st_mode & 0o077 == 0


def test_a_request_that_is_declined(tmp_path: Path) -> None:
    with pytest.raises(Declined, match="say please"):
        asked(tmp_path / "s", {})


def test_a_line_that_is_no_json_is_declined_and_the_connection_stays(tmp_path: Path) -> None:
    path = tmp_path / "s"

    def talk() -> list[bytes]:
        with socket.socket(socket.AF_UNIX) as line, line.makefile("rwb") as file:
            line.connect(str(path))
            file.write(b'nonsense\n[]\n{"please": 1}\n')
            file.flush()
            return [file.readline() for _ in range(3)]

    async def main() -> list[bytes]:
        async with await json_lines.serve(path, answer):
            return await asyncio.to_thread(talk)

    first, second, third = asyncio.run(main())
    assert b"no JSON" in first
    assert b"object" in second
    assert third == b'{"echo": 1}\n'


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        json_lines.ask(tmp_path / "none", {})
