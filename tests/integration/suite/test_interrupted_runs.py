"""Signals: what had finished is reported, what was running is torn down, nothing is left behind."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

WAITING = """
import threading

@pytest.fixture
def bell(request):
    folder = request.config.getoption("--plumbline-out")
    yield threading.Event()
    with open(folder + "/torn-down", "a") as file:
        file.write(request.node.name + "\\n")


@then("it waits")
def it_waits(bell):
    print("waiting", flush=True)
    bell.wait(60)
"""


def wait_for(process: Any, line: str, count: int) -> None:
    """Read a run's output until `line` has come `count` times."""
    for said in process.stdout:
        count -= line in said
        if not count:
            return
    pytest.fail(f"the run ended without saying {line!r}")


def left_behind(folder: Path) -> list[str]:
    """Command lines of processes that belong to a run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in command:
            found.append(command)
    return found


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["TERM", "INT"]
)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run(planted: Any, number: int, code: int, workers: int) -> None:
    planted.steps(WAITING)
    planted.scenario("first", "Given all is well")
    planted.scenario("waits", "Then it waits")
    planted.scenario("waits too", "Then it waits")
    process = planted.start(workers=workers)
    wait_for(process, "still at area/planted:waits", 1)
    process.send_signal(number)
    outcome = planted.outcome(process)
    assert outcome.status == code, outcome.output
    assert outcome.report["exitCode"] == code
    assert outcome.verdicts() == {
        "first": "passed",
        "waits": "not-run",
        "waits-too": "not-run",
    }
    torn_down = (planted.folder / "out" / "torn-down").read_text(encoding="utf-8").split()
    assert torn_down == ["test_waits"] if workers == 1 else {"test_waits"} <= set(torn_down)
    assert not left_behind(planted.folder)


HANGING = """
import threading

@pytest.fixture
def bell(request):
    folder = request.config.getoption("--plumbline-out")
    yield threading.Event()
    open(folder + "/hanging", "w").close()
    threading.Event().wait(600)


@then("it waits")
def it_waits(bell):
    bell.wait(60)
"""


def test_a_second_signal_ends_a_teardown_that_hangs(planted: Any) -> None:
    planted.steps(HANGING)
    planted.scenario("hangs", "Then it waits")
    process = planted.start()
    wait_for(process, "still at area/planted:hangs", 1)
    process.send_signal(signal.SIGINT)
    while not (planted.folder / "out" / "hanging").exists():
        wait_for(process, "still", 1)
    process.send_signal(signal.SIGINT)
    outcome = planted.outcome(process)
    assert (outcome.status, outcome.verdicts()) == (130, {"hangs": "not-run"}), outcome.output
    assert not left_behind(planted.folder)
