"""Starts a rig and follows its bring-up.

The rig watches its standard input: when its starter goes, so does the rig, unless it was given
leave to stay (`detach`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from e2e.environments import preflight, running
from e2e.environments.embedded import events, options
from e2e.environments.embedded.control import RigControl
from e2e.environments.embedded.events import Event, Failed, Hello, Ready
from e2e.environments.embedded.options import Options
from e2e.environments.embedded.trouble import how
from e2e.environments.preflight import Fit
from e2e.environments.running import RunningRig
from fixtures.errors import EnvironmentUnfit

END_SECONDS = 20.0


class NotUp(EnvironmentUnfit):
    """The environment did not come up; nothing of it is left.

    Attributes:
        part: what failed.
        log: its last lines.
    """

    def __init__(self, part: str, message: str, log: tuple[str, ...] = ()) -> None:
        super().__init__(f"{part}: {message}")
        self.part = part
        self.log = log


@dataclass(frozen=True)
class Request:
    """The rig that is wanted; the fields are those of `options.Options`."""

    name: str
    argv: tuple[str, ...]
    controller: str = ""
    webhooks: Path | None = None
    exported: Path | None = None


@dataclass
class Launched:
    """A rig that is up, held by this process until it is detached."""

    rig: RunningRig
    process: subprocess.Popen[bytes]
    inbox: IO[bytes]
    detached: bool = False

    @property
    def description(self) -> Path:
        """The file that tells the suite how to use it."""
        return self.rig.layout.description

    @property
    def control(self) -> RigControl:
        """What it can be asked for."""
        return self.rig.control

    def detach(self) -> None:
        """Lets the rig outlive this process."""
        self.inbox.write(options.DETACH)
        self.inbox.flush()
        self.detached = True

    def stop(self) -> None:
        """Ends the rig; returns when all of it is gone."""
        end(self.process, self.inbox)


def launch(request: Request, fit: Fit, tell: Callable[[Event], None]) -> Launched:
    """Brings a rig up; `tell` gets its events.

    Whatever interrupts this, an exception of a signal handler included, takes the rig along.

    Raises:
        NotUp: a part of it failed, or it ended by itself.
    """
    command = [*preflight.NAMESPACES, sys.executable, "-m", running.MODULE, "--name", request.name]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "PATH": preflight.search_path()},
    )
    inbox, outbox = process.stdin, process.stdout
    assert inbox is not None
    assert outbox is not None
    try:
        rig = _follow(request, fit, process, inbox, outbox, tell)
    except BaseException:
        end(process, inbox)
        raise
    return Launched(rig, process, inbox)


@contextmanager
def held(request: Request, fit: Fit, tell: Callable[[Event], None]) -> Iterator[Launched]:
    """A rig for as long as the block lasts, or longer if it is detached inside."""
    launched = launch(request, fit, tell)
    try:
        yield launched
    finally:
        if not launched.detached:
            launched.stop()


def end(process: subprocess.Popen[bytes], inbox: IO[bytes]) -> None:
    """Ends a rig's processes, by closing its lifeline first and by force next."""
    with suppress(OSError):
        inbox.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _follow(
    request: Request,
    fit: Fit,
    process: subprocess.Popen[bytes],
    inbox: IO[bytes],
    outbox: IO[bytes],
    tell: Callable[[Event], None],
) -> RunningRig:
    words: list[str] = []
    rig: RunningRig | None = None
    for line in outbox:
        text = line.decode(errors="replace").rstrip()
        try:
            event = events.decode(text)
        except ValueError:
            words.append(text)  # a traceback, or what `unshare` says
            continue
        tell(event)
        match event:
            case Hello():
                rig = _named(process.pid)
                inbox.write(options.encode(_options(request, fit, rig.pid)))
                inbox.flush()
            case Failed(part=part, message=message, log=log):
                raise NotUp(part, message, log)
            case Ready() if rig is not None:
                return rig
    status = process.wait()
    raise NotUp("rig", f"its process {how(status)}", tuple(words[-15:]))


def _named(parent: int) -> RunningRig:
    for rig in running.rigs():
        if rig.parent == parent:
            return rig
    raise NotUp("rig", f"its process, a child of {parent}, is not to be found in /proc")


def _options(request: Request, fit: Fit, pid: int) -> Options:
    return Options(
        pid=pid,
        name=request.name,
        binaries=fit.binaries,
        guest=fit.guest,
        argv=request.argv,
        controller=request.controller,
        webhooks=request.webhooks,
        exported=request.exported,
    )
