"""Embedded environments that run on this machine now.

A rig leaves no file outside its own tmpfs, so those that run are found among the processes: each
is PID 1 of a pid namespace and says its name on its command line.
"""

from __future__ import annotations

import os
import select
import signal
from dataclasses import dataclass
from pathlib import Path

from e2e.environments.embedded.control import RigControl
from e2e.environments.embedded.layout import Layout
from fixtures.errors import EnvironmentUnfit

MODULE = "e2e.environments.embedded.rig"
STOP_SECONDS = 20.0


class NoSuchEnvironment(Exception):
    """No environment of that name runs; the message lists those that do."""


@dataclass(frozen=True)
class RunningRig:
    """A rig's process.

    Attributes:
        pid: of the rig itself, as the host numbers it.
        parent: of the `unshare` that holds its namespaces.
    """

    name: str
    pid: int
    parent: int

    @property
    def layout(self) -> Layout:
        return Layout.outside(self.pid)

    @property
    def control(self) -> RigControl:
        return RigControl(self.layout.control)

    @property
    def ready(self) -> bool:
        """Whether it has come up."""
        return self.layout.description.exists() and self.layout.control.exists()


def rigs() -> list[RunningRig]:
    """All of this user, by name."""
    found = [_rig(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return sorted((rig for rig in found if rig is not None), key=lambda rig: rig.name)


def find(name: str) -> RunningRig:
    """The rig of that name.

    Raises:
        NoSuchEnvironment: none runs.
    """
    there = rigs()
    for rig in there:
        if rig.name == name:
            return rig
    running = ", ".join(rig.name for rig in there) or "none"
    raise NoSuchEnvironment(
        f"no environment named {name!r} runs here (running: {running}); `plumbline up` starts one"
    )


def stop(rig: RunningRig) -> None:
    """Ends a rig and everything in it; returns when the kernel has taken all of it down.

    Raises:
        EnvironmentUnfit: its processes do not end even when killed.
    """
    ends = [end for end in (_Ending.of(rig.parent), _Ending.of(rig.pid)) if end is not None]
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for end in ends[-1:] if number == signal.SIGTERM else ends:
                end.send(number)
            if all(end.within(STOP_SECONDS) for end in ends):
                return
    finally:
        for end in ends:
            os.close(end.descriptor)
    raise EnvironmentUnfit(
        f"environment {rig.name!r} (processes {rig.parent}, {rig.pid}) does not end even when"
        " killed; look for processes in uninterruptible sleep (`ps -o pid,stat,wchan`)"
    )


@dataclass(frozen=True)
class _Ending:
    descriptor: int

    @classmethod
    def of(cls, pid: int) -> _Ending | None:
        try:
            return cls(os.pidfd_open(pid))
        except ProcessLookupError:
            return None

    def send(self, number: signal.Signals) -> None:
        try:
            signal.pidfd_send_signal(self.descriptor, number)
        except ProcessLookupError:
            return

    def within(self, seconds: float) -> bool:
        return bool(select.select([self.descriptor], [], [], seconds)[0])


def _rig(pid: int) -> RunningRig | None:
    place = Path("/proc") / str(pid)
    try:
        words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
        if MODULE not in words or place.stat().st_uid != os.getuid():
            return None
        status = dict(
            line.split(":\t", 1)
            for line in (place / "status").read_text().splitlines()
            if ":\t" in line
        )
    except OSError:
        return None  # it ended meanwhile
    inner = status.get("NSpid", "").split()
    if len(inner) < 2 or inner[-1] != "1" or "--name" not in words:
        return None
    name = words[words.index("--name") + 1]
    return RunningRig(name, pid, int(status["PPid"]))
