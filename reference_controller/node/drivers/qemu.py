"""One running guest: its process, its NICs, its end.

The process outlives whoever started it. Everything about it is in its directory (sockets, pid file,
console log), and `GuestProcess.adopt` takes it over from there; the running machine itself, not a
record, says which NICs it has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from reference_controller.node.drivers import machine
from reference_controller.node.drivers.guest_agent import GuestAgent
from reference_controller.node.drivers.machine import Boot, Nic, Ram, Shape, Sockets
from reference_controller.node.drivers.process import Process, ProcessGone
from reference_controller.node.drivers.qmp import Qmp, QmpClosed
from reference_controller.node.drivers.slots import (
    NicDiffers,
    NoFreeSlot,
    PluggedNic,
    Slots,
    UnplugRefused,
    count,
)

__all__ = [
    "GuestGone",
    "GuestProcess",
    "NicDiffers",
    "NoFreeSlot",
    "PluggedNic",
    "StartFailed",
    "State",
    "UnplugRefused",
]

SOCKET_PATH_LIMIT = 100
"""Bytes. The kernel takes 107; QEMU and we add a little."""


class GuestGone(Exception):
    """No such guest is running in that directory (any more)."""


class StartFailed(Exception):
    """QEMU did not start; the message carries what it said."""


class State(StrEnum):
    """What the machine is doing."""

    RUNNING = "running"
    PAUSED = "paused"
    GONE = "gone"


class GuestProcess:
    """Handle of one running guest. Unplugs are done one after another, and so are plugs."""

    def __init__(self, directory: Path, process: Process, qmp: Qmp, slots: int) -> None:
        self.directory = directory
        self.qmp = qmp
        self.agent = GuestAgent(Sockets(directory).agent)
        self._process = process
        self._slots = Slots(directory.name, qmp, slots)

    @classmethod
    async def start(
        cls,
        directory: Path,
        shape: Shape,
        boot: Boot,
        identity: bytes,
        *,
        netns: Path | None = None,
        nics: Mapping[int, Nic] | None = None,
        ram: Ram | None = None,
        incoming: bool = False,
        template: bool = False,
    ) -> GuestProcess:
        """Start a machine; returns when QEMU is up, long before a guest that boots is.

        `identity` is what identity.archive() made; `netns` the path of a network namespace;
        `nics` maps ports to NICs there from the start, their taps exist in that namespace.

        Raises:
            StartFailed: QEMU is missing, or said why it does not start.
        """
        sockets = _prepare(directory, identity)
        words = machine.command_line(
            shape,
            boot,
            sockets,
            name=directory.name,
            ram=ram,
            nics=nics,
            incoming=incoming,
            template=template,
        )
        if netns is not None:
            words = ["nsenter", f"--net={netns}", "--", *words]
        await _daemon(words)
        return await cls.adopt(directory)

    @classmethod
    async def adopt(cls, directory: Path) -> GuestProcess:
        """Take over the guest that is running in `directory`.

        Raises:
            GuestGone: none is.
        """
        sockets = _sockets(directory)
        try:
            process = Process.find(sockets.pid_file, argument=str(sockets.qmp))
        except ProcessGone as exc:
            raise GuestGone(f"no guest runs in {directory}: {exc}") from exc
        try:
            qmp = await Qmp.connect(sockets.qmp)
            slots = await count(qmp)
        except QmpClosed as exc:
            process.release()
            raise GuestGone(f"the guest in {directory} cannot be controlled: {exc}") from exc
        except BaseException:
            process.release()
            raise
        return cls(sockets.directory, process, qmp, slots)

    @property
    def slots(self) -> int:
        """How many NICs the machine has room for."""
        return self._slots.total

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        return self._process.pid

    async def plug(self, nic: Nic) -> PluggedNic:
        """Hot-plug a NIC whose tap exists: see Slots.plug."""
        return await self._slots.plug(nic)

    async def unplug(self, nic_id: int) -> None:
        """Ask the guest to let a NIC go and wait until it did: see Slots.unplug."""
        await self._slots.unplug(nic_id)

    async def nics(self) -> tuple[PluggedNic, ...]:
        """The NICs in the machine now, by id; asked of QEMU each time. QmpClosed."""
        return await self._slots.nics()

    async def set_link(self, nic_id: int, *, up: bool) -> None:
        """Plug or pull the NIC's cable, as the guest sees it. QmpRefused: no such NIC.

        Guests and QEMU lose flaps shorter than about a second; off for 1.2 s suits all.
        """
        await self.qmp.execute("set_link", name=machine.device_name(nic_id), up=up)

    async def state(self) -> State:
        """What the machine is doing now."""
        try:
            status = await self.qmp.execute("query-status")
        except QmpClosed:
            return State.GONE
        return State.RUNNING if status["running"] else State.PAUSED

    async def agent_open(self) -> bool:
        """Whether a guest agent has its port open (it may hang nevertheless).

        Changes arrive as VSERPORT_CHANGE events with `open` on `qmp`.
        """
        devices = await self.qmp.execute("query-chardev")
        return any(one["label"] == "agent" and one["frontend-open"] for one in devices)

    async def power_down(self) -> None:
        """Ask the guest to shut down; QEMU ends when it has, see `ended`. AgentUnavailable."""
        await self.agent.shut_down("powerdown")

    async def kill(self) -> None:
        """End the process and wait for that. Its directory stays."""
        await self._process.kill()
        await self._disconnect()

    async def ended(self) -> None:
        """Return when the process is gone, for whatever reason."""
        await self._process.ended()

    async def release(self) -> None:
        """Let the guest run on without us: close the connections only."""
        self._process.release()
        await self._disconnect()

    async def _disconnect(self) -> None:
        await self.agent.close()
        await self.qmp.close()


def _sockets(directory: Path) -> Sockets:
    return Sockets(directory.absolute())


def _prepare(directory: Path, identity: bytes) -> Sockets:
    sockets = _sockets(directory)
    if len(str(sockets.console_log)) > SOCKET_PATH_LIMIT:
        raise StartFailed(
            f"{directory}: too long for the sockets of a guest; choose a directory of at most"
            f" {SOCKET_PATH_LIMIT - 12} characters"
        )
    directory.mkdir(parents=True, exist_ok=True)
    sockets.identity.touch(mode=0o600)
    sockets.identity.write_bytes(identity)
    return sockets


async def _daemon(words: list[str]) -> None:
    """Run a command that goes to the background by itself once it is ready."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except FileNotFoundError as exc:
        raise StartFailed(f"{exc.filename} is not installed; install qemu-system-x86") from exc
    said, _ = await process.communicate()
    if process.returncode != 0:
        raise StartFailed(f"{words[0]} ended with {process.returncode}: {said.decode().strip()}")
