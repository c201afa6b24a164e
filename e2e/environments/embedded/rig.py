"""`python -m e2e.environments.embedded.rig --name NAME`: PID 1 of one embedded environment.

Started by `launch` under `unshare`; not meant to be run by hand. It brings everything up, restarts
what ends, reaps orphans, and takes all of it along when it goes: on SIGTERM, when its starter goes
before it is detached, or when somebody kills it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import AsyncExitStack
from typing import Any

from e2e.environments.embedded import events, json_lines, options
from e2e.environments.embedded.bring_up import BringUp, Running
from e2e.environments.embedded.certificates import write_secret
from e2e.environments.embedded.control import ControlServer
from e2e.environments.embedded.events import Event, Reporter
from e2e.environments.embedded.kube_api import NO_ANSWER, ApiRefused
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.manifests import ManifestUnusable
from e2e.environments.embedded.options import Options
from e2e.environments.embedded.supervisor import Supervisor
from e2e.environments.embedded.trouble import BringUpFailed

NOT_UP = 3
QUIET_SECONDS = 3.0
ALL_SECONDS = 240.0
"""The parts have shorter limits; this one is for what they forget."""


def claim(name: str) -> socket.socket:
    """Takes the environment's name for as long as the returned socket is open.

    Raises:
        BringUpFailed: another rig of this user has it.
    """
    claimed = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claimed.bind(f"\0plumbline-{os.getuid()}-{name}")
    except OSError as error:
        claimed.close()
        raise BringUpFailed(
            "name",
            f"an environment named {name!r} runs already;"
            f" `plumbline down --name {name}` ends it, `--name` gives this one another name",
        ) from error
    return claimed


def tell(event: Event) -> None:
    """To the starter until the environment is up, to the rig's own log afterwards."""
    sys.stdout.write(events.encode(event))
    sys.stdout.flush()


class Rig:
    """The life of one environment."""

    def __init__(self, chosen: Options, inbox: asyncio.StreamReader) -> None:
        self._options = chosen
        self._inbox = inbox
        self._layout = Layout()
        self._reporter = Reporter(tell)
        self._stop = asyncio.Event()

    async def live(self) -> int:
        """Comes up, stays until told to stop; the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        self._layout.make()
        starter = asyncio.create_task(self._follow_starter())
        stopped = asyncio.create_task(self._stop.wait())
        async with AsyncExitStack() as stack:
            coming = asyncio.create_task(self._come_up(stack))
            while not await _first_of(coming, stopped, within=QUIET_SECONDS):
                self._reporter.still()
            if not coming.done():
                coming.cancel()
                return 0
            failure = coming.result()
            if failure is None:
                await stopped
        starter.cancel()
        self._remove_export()
        if failure is not None:
            tell(failure)
            return NOT_UP
        return 0

    async def _come_up(self, stack: AsyncExitStack) -> events.Failed | None:
        started = asyncio.get_running_loop().time()
        supervisor = Supervisor(self._layout.logs)
        bring_up = BringUp(self._options, self._layout, supervisor, self._reporter, _note, stack)
        try:
            async with asyncio.timeout(ALL_SECONDS):
                running = await bring_up.run()
            self._export()
        except BringUpFailed as failure:
            return events.Failed(failure.part, failure.message, failure.log)
        except (ManifestUnusable, ApiRefused) as failure:
            return events.Failed("environment", str(failure))
        except (*NO_ANSWER, UnicodeError) as failure:
            return events.Failed("environment", f"{type(failure).__name__}: {failure}")
        await self._serve(running, supervisor, stack)
        tell(events.Ready(round(asyncio.get_running_loop().time() - started, 3)))
        self._log_from_now_on()
        return None

    async def _serve(self, running: Running, supervisor: Supervisor, stack: AsyncExitStack) -> None:
        server = await json_lines.serve(self._layout.control, ControlServer(running).answer)
        stack.callback(server.close)
        self._keepers = [
            asyncio.create_task(supervisor.keep(child, _note)) for child in running.servers
        ]
        self._running = running

    async def _follow_starter(self) -> None:
        """Goes when the starter goes, unless it gave leave to stay."""
        while line := await self._inbox.readline():
            if line == options.DETACH:
                return
        self._stop.set()

    def _log_from_now_on(self) -> None:
        """Nobody reads what comes after Ready from the starter's pipe."""
        sys.stdout.flush()
        with (self._layout.logs / "rig.log").open("ab") as log:
            for descriptor in (sys.stdout.fileno(), sys.stderr.fileno()):
                os.dup2(log.fileno(), descriptor)

    def _export(self) -> None:
        exported = self._options.exported
        if exported is None:
            return
        try:
            write_secret(exported, self._layout.admin.read_bytes())
        except OSError as error:
            reason = error.strerror or error
            raise BringUpFailed("kubeconfig", f"{exported} cannot be written: {reason}") from error

    def _remove_export(self) -> None:
        exported = self._options.exported
        if exported is None:
            return
        try:
            if exported.read_bytes() == self._layout.admin.read_bytes():
                exported.unlink()
        except FileNotFoundError:
            return


async def _first_of(*tasks: asyncio.Task[Any], within: float) -> bool:
    done, _ = await asyncio.wait(tasks, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    return bool(done)


def _note(text: str) -> None:
    tell(events.Note(text))


async def _live() -> int:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    tell(events.Hello())
    line = await reader.readline()
    return await Rig(options.decode(line), reader).live() if line else NOT_UP


def main() -> int:
    """Runs the rig; everything it made is gone when its process is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    given = parser.parse_args()
    try:
        claimed = claim(given.name)
    except BringUpFailed as failure:
        tell(events.Failed(failure.part, failure.message))
        return NOT_UP
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", "/run"], check=True)
    with claimed:
        return asyncio.run(_live())


if __name__ == "__main__":
    sys.exit(main())
