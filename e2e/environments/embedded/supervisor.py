"""Child processes of PID 1: starting them, knowing when they end, reaping those of others.

A process whose parent died becomes a child of PID 1, which must reap it. `waitid` with `WNOWAIT`
looks before it reaps, so that the children started here keep their exit codes. Nothing in the rig
may run a subprocess from another thread: the reaper would take its exit code away.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.environments.embedded.trouble import BringUpFailed, how, tail

RESTART_SECONDS = 0.5


@dataclass(frozen=True)
class Child:
    """A process started by the rig.

    Attributes:
        exited: its exit code once it has ended, negative for a signal.
        log: where its output goes.
    """

    name: str
    pid: int
    exited: asyncio.Future[int]
    log: Path
    argv: tuple[str, ...] = ()
    environ: Mapping[str, str] | None = None
    pass_fds: tuple[int, ...] = ()

    @property
    def alive(self) -> bool:
        return not self.exited.done()

    async def within(self, seconds: float) -> bool:
        """Waits; True once the process has ended, False after `seconds`."""
        done, _ = await asyncio.wait({self.exited}, timeout=seconds)
        return bool(done)

    def kill(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Signals the process and its session; one that has ended is fine."""
        if self.alive:
            os.killpg(self.pid, number)

    def trouble(self, message: str) -> BringUpFailed:
        """The exception that says what is wrong with this process, with its last words."""
        return BringUpFailed(self.name, message, tail(self.log))


class Supervisor:
    """Starts and reaps. One to a process, on the running event loop."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._children: dict[int, tuple[subprocess.Popen[bytes], Child]] = {}
        self._loop = asyncio.get_running_loop()
        self._loop.add_signal_handler(signal.SIGCHLD, self._reap)

    @property
    def children(self) -> tuple[Child, ...]:
        """Those that run."""
        return tuple(child for _, child in self._children.values())

    def start(
        self,
        name: str,
        argv: Sequence[str],
        *,
        environ: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> Child:
        """Starts a process in a session of its own; its output is appended to its log.

        Raises:
            BringUpFailed: it cannot be started.
        """
        path = self._logs / f"{name}.log"
        try:
            with path.open("ab") as output:
                process = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=environ,
                    pass_fds=tuple(pass_fds),
                    start_new_session=True,
                )
        except OSError as error:
            reason = error.strerror or str(error)
            raise BringUpFailed(name, f"{argv[0]} cannot be started: {reason}") from error
        exited = self._loop.create_future()
        child = Child(name, process.pid, exited, path, tuple(argv), environ, tuple(pass_fds))
        self._children[process.pid] = (process, child)
        return child

    async def keep(self, child: Child, note: Callable[[str], None]) -> None:
        """Starts a process again, as it was, whenever it has ended; until cancelled."""
        while True:
            await asyncio.wait({child.exited})
            note(f"{child.name} {how(child.exited.result())}; it is restarted")
            # A crash at every start must not take the machine with it.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._loop.create_future(), RESTART_SECONDS)
            child = self.start(
                child.name, child.argv, environ=child.environ, pass_fds=child.pass_fds
            )

    async def run(self, name: str, argv: Sequence[str]) -> None:
        """Runs a command to its end.

        Raises:
            BringUpFailed: it ended with anything but 0; its output is the log.
        """
        child = self.start(name, argv)
        if code := await child.exited:
            raise child.trouble(f"`{' '.join(argv)}` {how(code)}")

    def _reap(self) -> None:
        """Collects every process that has ended; several may share one signal."""
        while (pid := _ended()) is not None:
            known = self._children.pop(pid, None)
            if known is None:
                os.waitpid(pid, 0)
                continue
            process, child = known
            child.exited.set_result(process.wait())


async def unless_ended(
    wait: Coroutine[None, None, None], *processes: Child, missing: str, within: float
) -> None:
    """Waits for something that the processes should bring about.

    Args:
        missing: what is said when it has not come within so many seconds; the last process is the
            one to blame.

    Raises:
        BringUpFailed: it has not come, or a process has ended.
    """

    async def limited() -> None:
        async with asyncio.timeout(within):
            await wait

    waiting = asyncio.create_task(limited())
    ends: list[asyncio.Future[Any]] = [waiting, *(process.exited for process in processes)]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for process in processes:
            if not process.alive:
                raise process.trouble(f"it {how(process.exited.result())}")
        await waiting
    except TimeoutError as error:
        raise processes[-1].trouble(f"{missing} after {within:g} s") from error
    finally:
        waiting.cancel()


def _ended() -> int | None:
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return found.si_pid if found is not None else None
