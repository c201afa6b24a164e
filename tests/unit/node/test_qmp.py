"""The QMP client: answers find their command, events their subscribers, endings are noticed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reference_controller.node.drivers.qmp import Qmp, QmpClosed, QmpRefused
from tests.unit.node.fake_line_server import Line, Request, Script, serving

GREETING: Request = {"QMP": {}}
STAMP = {"seconds": 7, "microseconds": 500_000}


def talk(path: Path, script: Script, client: Callable[[Qmp], Awaitable[None]]) -> None:
    async def negotiated(request: Request, line: Line) -> None:
        if request["execute"] == "qmp_capabilities":
            line.send({"return": {}, "id": request["id"]})
        else:
            await script(request, line)

    async def run() -> None:
        async with asyncio.timeout(5), serving(path, negotiated, greeting=GREETING):
            qmp = await Qmp.connect(path)
            try:
                await client(qmp)
            finally:
                await qmp.close()

    asyncio.run(run())


def test_answers_in_another_order_reach_their_commands(tmp_path: Path) -> None:
    held: list[Request] = []

    async def script(request: Request, line: Line) -> None:
        held.append(request)
        if len(held) == 2:
            for one in reversed(held):
                line.send({"return": one["execute"], "id": one["id"]})

    async def client(qmp: Qmp) -> None:
        answers = await asyncio.gather(qmp.execute("first"), qmp.execute("second"))
        assert list(answers) == ["first", "second"]

    talk(tmp_path / "qmp", script, client)


def test_a_late_answer_to_a_cancelled_command_is_dropped(tmp_path: Path) -> None:
    async def script(request: Request, line: Line) -> None:
        if request["execute"] == "quick":
            line.send({"return": "late", "id": request["id"] - 1})
            line.send({"return": "right", "id": request["id"]})

    async def client(qmp: Qmp) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(qmp.execute("slow"), 0.01)
        assert await qmp.execute("quick") == "right"

    talk(tmp_path / "qmp", script, client)


def test_argument_names_get_dashes(tmp_path: Path) -> None:
    async def script(request: Request, line: Line) -> None:
        line.send({"return": request["arguments"], "id": request["id"]})

    async def client(qmp: Qmp) -> None:
        assert await qmp.execute("any", max_bandwidth=1) == {"max-bandwidth": 1}

    talk(tmp_path / "qmp", script, client)


def test_a_refusal_tells_command_and_reason(tmp_path: Path) -> None:
    async def script(request: Request, line: Line) -> None:
        line.send({"error": {"class": "GenericError", "desc": "no"}, "id": request["id"]})

    async def client(qmp: Qmp) -> None:
        with pytest.raises(QmpRefused, match="device_add: no") as caught:
            await qmp.execute("device_add")
        assert caught.value.error_class == "GenericError"

    talk(tmp_path / "qmp", script, client)


def test_events_reach_each_subscriber_in_order_and_filtered(tmp_path: Path) -> None:
    async def script(request: Request, line: Line) -> None:
        for name in ("RESET", "STOP", "RESET"):
            line.send({"event": name, "data": {"after": name}, "timestamp": STAMP})
        line.send({"return": {}, "id": request["id"]})

    async def client(qmp: Qmp) -> None:
        with qmp.subscribe() as every, qmp.subscribe() as stops:
            await qmp.execute("go")
            assert [(await every.next()).name for _ in range(3)] == ["RESET", "STOP", "RESET"]
            stop = await stops.next("STOP", match=lambda event: event.data["after"] == "STOP")
            assert stop.seconds == 7.5

    talk(tmp_path / "qmp", script, client)


def test_the_end_of_the_machine_fails_commands_and_subscribers(tmp_path: Path) -> None:
    async def script(request: Request, line: Line) -> None:
        line.hang_up()

    async def client(qmp: Qmp) -> None:
        with qmp.subscribe() as events:
            with pytest.raises(QmpClosed):
                await qmp.execute("quit")
            for _ in range(2):
                with pytest.raises(QmpClosed, match="before it sent RESET"):
                    await events.next("RESET")
        await qmp.wait_closed()
        with pytest.raises(QmpClosed, match="before cont"):
            await qmp.execute("cont")
        with qmp.subscribe() as late, pytest.raises(QmpClosed):
            await late.next()

    talk(tmp_path / "qmp", script, client)


def test_nobody_listening_is_told(tmp_path: Path) -> None:
    with pytest.raises(QmpClosed, match="no machine listens"):
        asyncio.run(Qmp.connect(tmp_path / "qmp"))


def test_a_machine_with_another_client_does_not_greet(tmp_path: Path) -> None:
    async def script(request: Request, line: Line) -> None: ...

    async def run() -> None:
        async with serving(tmp_path / "qmp", script):
            await Qmp.connect(tmp_path / "qmp", within=0.05)

    with pytest.raises(QmpClosed, match="no greeting"):
        asyncio.run(run())
