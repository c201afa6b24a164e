"""A process that is nobody's child."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_controller.node.drivers.process import Process, ProcessGone

MARK = "a-mark-of-this-test"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", "print(flush=True); input()", MARK]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        # Only now it surely has its command line.
        child.stdout.readline()
        yield child
        child.kill()


@pytest.fixture
def pid_file(sleeper: subprocess.Popen[bytes], tmp_path: Path) -> Path:
    path = tmp_path / "pid"
    path.write_text(f"{sleeper.pid}\n")
    return path


def test_a_process_is_found_killed_and_known_to_have_ended(pid_file: Path) -> None:
    async def run() -> None:
        process = Process.find(pid_file, argument=MARK)
        assert not process.has_ended
        async with asyncio.timeout(5):
            await process.kill()
            await process.ended()
        assert process.has_ended
        # Ended, though nobody has reaped it yet.
        with pytest.raises(ProcessGone):
            Process.find(pid_file, argument=MARK)

    asyncio.run(run())


def test_a_pid_that_somebody_else_has_now_is_not_taken(pid_file: Path) -> None:
    with pytest.raises(ProcessGone, match="has ended"):
        Process.find(pid_file, argument="/another/guest/qmp")


@pytest.mark.parametrize("content", [None, "", "none", "999999999"])
def test_a_pid_file_without_a_process(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "pid"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ProcessGone, match="no process"):
        Process.find(path, argument=MARK)


def test_a_released_process_goes_on(pid_file: Path, sleeper: subprocess.Popen[bytes]) -> None:
    async def run() -> None:
        Process.find(pid_file, argument=MARK).release()

    asyncio.run(run())
    assert sleeper.poll() is None
