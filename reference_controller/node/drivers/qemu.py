"""One running guest: its process, its NICs, its end.

The process outlives whoever started it. Everything about it is in its directory (sockets, pid file,
console log), and `GuestProcess.adopt` takes it over from there; the running machine itself, not a
record, says which NICs it has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from reference_controller.node.drivers import machine
from reference_controller.node.drivers.guest_agent import GuestAgent
from reference_controller.node.drivers.machine import Boot, Nic, Ram, Shape, Sockets
from reference_controller.node.drivers.process import Process, ProcessGone
from reference_controller.node.drivers.qmp import Qmp, QmpClosed, QmpRefused

SOCKET_PATH_LIMIT = 100
"""Bytes. The kernel takes 107; QEMU and we add a little."""
ASK_AGAIN = 3.0
"""Seconds until a guest that has not let a NIC go is asked again: it may have been booting."""
PERIPHERAL = "/machine/peripheral"


class GuestGone(Exception):
    """No such guest is running in that directory (any more)."""


class StartFailed(Exception):
    """QEMU did not start; the message carries what it said."""


class NoFreeSlot(Exception):
    """Every root port has a NIC (spec 4: Configured=False with ConfigurationError)."""


class NicDiffers(Exception):
    """The machine has a NIC of that id with another MAC or tap; unplug it first."""


class UnplugRefused(Exception):
    """The guest turned the request down; it may be repeated."""


class State(StrEnum):
    """What the machine is doing."""

    RUNNING = "running"
    PAUSED = "paused"
    GONE = "gone"


@dataclass(frozen=True)
class PluggedNic:
    """A NIC in the running machine; `port` is its root port, 1 to the number of slots."""

    id: int
    tap: str
    mac: str
    port: int


class GuestProcess:
    """Handle of one running guest. Unplugs are done one after another, and so are plugs."""

    def __init__(self, directory: Path, process: Process, qmp: Qmp, slots: int) -> None:
        self.directory = directory
        self.qmp = qmp
        self.slots = slots
        self.agent = GuestAgent(Sockets(directory).agent)
        self._process = process
        self._plugging = asyncio.Lock()
        self._unplugging = asyncio.Lock()
        self._leaving: int | None = None

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
        sockets = Sockets(directory.absolute())
        if len(str(sockets.console_log)) > SOCKET_PATH_LIMIT:
            raise StartFailed(
                f"{directory}: too long for the socket of a guest; choose a directory of at most"
                f" {SOCKET_PATH_LIMIT - 12} characters"
            )
        directory.mkdir(parents=True, exist_ok=True)
        sockets.identity.touch(mode=0o600)
        sockets.identity.write_bytes(identity)
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
        sockets = Sockets(directory.absolute())
        try:
            process = Process.find(sockets.pid_file, argument=str(sockets.qmp))
        except ProcessGone as exc:
            raise GuestGone(f"no guest runs in {directory}: {exc}") from exc
        try:
            qmp = await Qmp.connect(sockets.qmp)
            ports = [name for name, kind in await _devices(qmp) if kind == "pcie-root-port"]
        except QmpClosed as exc:
            process.release()
            raise GuestGone(f"the guest in {directory} cannot be controlled: {exc}") from exc
        except BaseException:
            process.release()
            raise
        return cls(sockets.directory, process, qmp, len(ports))

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        return self._process.pid

    async def plug(self, nic: Nic) -> PluggedNic:
        """Hot-plug a NIC into the lowest free port; its tap exists already. Repeatable.

        Raises:
            NoFreeSlot: every port is taken.
            NicDiffers: there is another NIC of this id.
            QmpRefused: QEMU does not take it (no such tap; the machine is migrating).
        """
        if self._leaving == nic.id:
            async with self._unplugging:
                pass
        async with self._plugging:
            plugged = await self.nics()
            for has in plugged:
                if has.id == nic.id and (has.tap, has.mac) == (nic.tap, nic.mac.lower()):
                    return has
                if has.id == nic.id:
                    raise NicDiffers(f"{self.directory.name} has {has}, not {nic}")
            free = machine.free_ports(self.slots, (has.port for has in plugged))
            if not free:
                raise NoFreeSlot(
                    f"{self.directory.name}: network {nic.id} finds no free slot among {self.slots}"
                )
            await self._add_backend(nic)
            try:
                await self.qmp.execute("device_add", **machine.device_properties(nic, free[0]))
            except QmpRefused:
                await self.qmp.execute("netdev_del", id=machine.backend_name(nic))
                raise
            return PluggedNic(nic.id, nic.tap, nic.mac.lower(), free[0])

    async def unplug(self, nic_id: int) -> None:
        """Ask the guest to let a NIC go and wait until it did: bound it with asyncio.timeout().

        Cancelling only ends the wait: QEMU still lets the NIC go when the guest does, and calling
        again resumes the wait. A NIC that is not there is no error. The tap is left alone.

        Raises:
            UnplugRefused: the guest said no.
            QmpRefused: QEMU does not ask it (the machine is migrating).
        """
        async with self._unplugging:
            self._leaving = nic_id
            try:
                await self._unplug(nic_id)
            finally:
                self._leaving = None

    async def _unplug(self, nic_id: int) -> None:
        device = machine.device_name(nic_id)
        with self.qmp.subscribe() as events:
            gone = [nic for nic in await self.nics() if nic.id == nic_id]
            while await self._request_removal(device):
                try:
                    async with asyncio.timeout(ASK_AGAIN):
                        event = await events.next(
                            "DEVICE_DELETED",
                            "DEVICE_UNPLUG_GUEST_ERROR",
                            match=lambda event: event.data.get("device") == device,
                        )
                except TimeoutError:
                    continue
                if event.name == "DEVICE_UNPLUG_GUEST_ERROR":
                    raise UnplugRefused(f"the guest in {self.directory} keeps {device}")
                break
        for nic in gone:
            with suppress(QmpRefused):  # an earlier, interrupted call may have done it
                backend = machine.backend_name(Nic(nic.id, nic.tap, nic.mac))
                await self.qmp.execute("netdev_del", id=backend)

    async def _request_removal(self, device: str) -> bool:
        """Ask for the removal; False when there is no such device (any more)."""
        try:
            await self.qmp.execute("device_del", id=device)
        except QmpRefused as exc:
            if exc.error_class == "DeviceNotFound":
                return False
            if "in the process of unplug" not in exc.description:
                raise
        return True

    async def _add_backend(self, nic: Nic) -> None:
        properties = machine.backend_properties(nic)
        try:
            await self.qmp.execute("netdev_add", **properties)
        except QmpRefused as exc:
            # Left over when somebody died between the two halves of a plug or an unplug.
            try:
                await self.qmp.execute("netdev_del", id=properties["id"])
            except QmpRefused:
                raise exc from None
            await self.qmp.execute("netdev_add", **properties)

    async def nics(self) -> tuple[PluggedNic, ...]:
        """The NICs in the machine now, by id; asked of QEMU each time. QmpClosed."""
        found = []
        for name, kind in await _devices(self.qmp):
            if kind != "virtio-net-pci":
                continue
            try:
                nic_id, mac, backend, bus = [
                    await self.qmp.execute("qom-get", path=f"{PERIPHERAL}/{name}", property=key)
                    for key in ("acpi-index", "mac", "netdev", "parent_bus")
                ]
            except QmpRefused as exc:
                if exc.error_class == "DeviceNotFound":
                    continue  # it left between the two questions
                raise
            port = int(bus.rpartition("/")[2].removeprefix("rp"))
            found.append(PluggedNic(nic_id, backend.partition(".")[2], mac, port))
        return tuple(sorted(found, key=lambda nic: nic.id))

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


async def _devices(qmp: Qmp) -> list[tuple[str, str]]:
    """Id and type of every device that has an id."""
    listed = await qmp.execute("qom-list", path=PERIPHERAL)
    return [
        (one["name"], one["type"].removeprefix("child<").removesuffix(">"))
        for one in listed
        if one["type"].startswith("child<")
    ]


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
