"""The guest agent client: late answers, hung agents, and what real agents say of interfaces."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest

from reference_controller.node.drivers.guest_agent import (
    AgentRefused,
    AgentUnavailable,
    GuestAgent,
    GuestInterface,
    parse_interfaces,
)
from tests.unit.node.fake_line_server import Line, Request, serving

Answer = Callable[[Request], Any]


class FakeAgent:
    """Answers `answer(request)`; while `hung` it keeps its answers, as a stopped agent does."""

    def __init__(self, answer: Answer) -> None:
        self.hung = False
        self._answer = answer
        self._kept: list[object] = []

    async def serve(self, request: Request, line: Line) -> None:
        if request["execute"] == "guest-sync-delimited":
            if not self.hung:
                for late in self._kept:
                    line.send(late)
                self._kept.clear()
                line.send({"return": request["arguments"]["id"]}, prefix=b"\xff")
            return
        answer = self._answer(request)
        if self.hung:
            self._kept.append(answer)
        elif answer is not None:
            line.send(answer)


def talk(
    path: Path, fake: FakeAgent, client: Callable[[GuestAgent], Awaitable[None]], timeout: float = 2
) -> None:
    async def run() -> None:
        async with asyncio.timeout(5), serving(path, fake.serve):
            agent = GuestAgent(path, timeout=timeout)
            try:
                await client(agent)
            finally:
                await agent.close()

    asyncio.run(run())


def test_an_answer_after_the_timeout_is_not_taken_for_the_next_one(tmp_path: Path) -> None:
    fake = FakeAgent(lambda request: {"return": {"host-name": request["execute"]}})

    async def client(agent: GuestAgent) -> None:
        await agent.ping()
        fake.hung = True
        with pytest.raises(AgentUnavailable, match="guest-ping"):
            await agent.ping()
        fake.hung = False
        assert await agent.hostname() == "guest-get-host-name"

    talk(tmp_path / "qga", fake, client, timeout=0.05)


def test_a_cancelled_call_leaves_no_answer_behind(tmp_path: Path) -> None:
    fake = FakeAgent(lambda request: {"return": {"host-name": request["execute"]}})

    async def client(agent: GuestAgent) -> None:
        await agent.ping()
        fake.hung = True
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(agent.ping(), 0.02)
        fake.hung = False
        assert await agent.hostname() == "guest-get-host-name"

    talk(tmp_path / "qga", fake, client)


def test_a_machine_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    async def run() -> None:
        with pytest.raises(AgentUnavailable):
            await GuestAgent(tmp_path / "qga").ping()

    asyncio.run(run())


def test_a_refusal_is_told(tmp_path: Path) -> None:
    fake = FakeAgent(lambda _: {"error": {"class": "CommandNotFound", "desc": "what?"}})

    async def client(agent: GuestAgent) -> None:
        with pytest.raises(AgentRefused, match=r"guest-info: what\?"):
            await agent.version()

    talk(tmp_path / "qga", fake, client)


def test_a_program_is_run_to_its_end(tmp_path: Path) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> object:
        asked.append(request)
        if request["execute"] == "guest-exec":
            return {"return": {"pid": 4}}
        if len(asked) < 4:
            return {"return": {"exited": False}}
        output = base64.b64encode(b"out").decode()
        return {"return": {"exited": True, "exitcode": 3, "out-data": output}}

    async def client(agent: GuestAgent) -> None:
        outcome = await agent.run("/bin/cat", "-", stdin=b"in")
        assert (outcome.status, outcome.stdout, outcome.stderr) == (3, b"out", b"")

    talk(tmp_path / "qga", FakeAgent(answer), client)
    assert asked[0]["arguments"] == {
        "path": "/bin/cat",
        "arg": ["-"],
        "capture-output": True,
        "input-data": base64.b64encode(b"in").decode(),
    }


def test_a_program_that_does_not_end_is_given_up(tmp_path: Path) -> None:
    fake = FakeAgent(lambda _: {"return": {"pid": 4, "exited": False}})

    async def client(agent: GuestAgent) -> None:
        with pytest.raises(AgentUnavailable, match="/bin/sleep has not ended"):
            await agent.run("/bin/sleep", "9", within=0.05)

    talk(tmp_path / "qga", fake, client)


def test_a_long_file_is_written_in_pieces(tmp_path: Path) -> None:
    content = bytes(range(256)) * 300
    written = bytearray()

    def answer(request: Request) -> object:
        if request["execute"] == "guest-file-write":
            written.extend(base64.b64decode(request["arguments"]["buf-b64"]))
        return {"return": 1}

    async def client(agent: GuestAgent) -> None:
        await agent.write_file("/run/file", content)

    talk(tmp_path / "qga", FakeAgent(answer), client)
    assert written == content


def test_a_shutdown_waits_for_no_answer(tmp_path: Path) -> None:
    async def client(agent: GuestAgent) -> None:
        await agent.shut_down("reboot")

    talk(tmp_path / "qga", FakeAgent(lambda _: None), client)


MAC = "52:54:00:00:05:01"


def test_interfaces_keep_the_difference_between_no_list_and_a_list() -> None:
    told: list[dict[str, Any]] = [
        {"name": "lo", "hardware-address": "00:00:00:00:00:00", "ip-addresses": []},
        {"name": "eno2", "hardware-address": MAC},
        {
            "name": "eno3",
            "hardware-address": MAC,
            "ip-addresses": [
                {"ip-address-type": "ipv4", "ip-address": "10.2.0.51", "prefix": 24},
                {"ip-address-type": "ipv6", "ip-address": "fe80::5054:ff:fe00:501", "prefix": 64},
            ],
        },
        {"name": "tun0", "ip-addresses": []},
    ]
    assert parse_interfaces(told) == (
        GuestInterface("lo", "00:00:00:00:00:00", ()),
        GuestInterface("eno2", MAC, None),
        GuestInterface(
            "eno3", MAC, (ip_interface("10.2.0.51/24"), ip_interface("fe80::5054:ff:fe00:501/64"))
        ),
        GuestInterface("tun0", None, ()),
    )
