"""The NIC slots of a running machine: what is plugged in, plugging, unplugging.

The running machine itself, not a record, says which NICs it has.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from reference_controller.node.drivers import machine
from reference_controller.node.drivers.machine import Nic
from reference_controller.node.drivers.qmp import Qmp, QmpRefused

ASK_AGAIN = 3.0
"""Seconds until a guest that has not let a NIC go is asked again: it may have been booting."""
PERIPHERAL = "/machine/peripheral"


class NoFreeSlot(Exception):
    """Every root port has a NIC (HP-21: Configured=False with ConfigurationError)."""


class NicDiffers(Exception):
    """The machine has a NIC of that id with another MAC or tap; unplug it first."""


class UnplugRefused(Exception):
    """The guest turned the request down; it may be repeated."""


@dataclass(frozen=True)
class PluggedNic:
    """A NIC in the running machine; `port` is its root port, 1 to the number of slots."""

    id: int
    tap: str
    mac: str
    port: int


class Slots:
    """The slots of one machine. Unplugs are done one after another, and so are plugs."""

    def __init__(self, name: str, qmp: Qmp, slots: int) -> None:
        self._name = name
        self._qmp = qmp
        self.total = slots
        self._plugging = asyncio.Lock()
        self._unplugging = asyncio.Lock()
        self._leaving: int | None = None
        self._known: dict[str, PluggedNic] = {}
        self._plugs = 0

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
                    raise NicDiffers(f"{self._name} has {has}, not {nic}")
            free = machine.free_ports(self.total, (has.port for has in plugged))
            if not free:
                raise NoFreeSlot(
                    f"{self._name}: network {nic.id} finds no free slot among {self.total}"
                )
            self._plugs += 1
            await self._add_backend(nic)
            try:
                await self._qmp.execute("device_add", **machine.device_properties(nic, free[0]))
            except QmpRefused:
                await self._qmp.execute("netdev_del", id=machine.backend_name(nic))
                raise
            now = PluggedNic(nic.id, nic.tap, nic.mac.lower(), free[0])
            self._known = {**self._known, machine.device_name(nic.id): now}
            return now

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
        with self._qmp.subscribe() as events:
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
                    raise UnplugRefused(f"the guest in {self._name} keeps {device}")
                break
        for nic in gone:
            with suppress(QmpRefused):  # an earlier, interrupted call may have done it
                backend = machine.backend_name(Nic(nic.id, nic.tap, nic.mac))
                await self._qmp.execute("netdev_del", id=backend)

    async def _request_removal(self, device: str) -> bool:
        """Ask for the removal; False when there is no such device (any more)."""
        try:
            await self._qmp.execute("device_del", id=device)
        except QmpRefused as exc:
            if exc.error_class == "DeviceNotFound":
                return False
            if "in the process of unplug" not in exc.description:
                raise
        return True

    async def _add_backend(self, nic: Nic) -> None:
        properties = machine.backend_properties(nic)
        try:
            await self._qmp.execute("netdev_add", **properties)
        except QmpRefused as exc:
            # Left over when somebody died between the two halves of a plug or an unplug.
            try:
                await self._qmp.execute("netdev_del", id=properties["id"])
            except QmpRefused:
                raise exc from None
            await self._qmp.execute("netdev_add", **properties)

    async def nics(self) -> tuple[PluggedNic, ...]:
        """The NICs in the machine now, by id; asked of QEMU each time. QmpClosed.

        What a NIC is does not change while it is there, and is asked once: each question costs
        a busy machine a millisecond or two.
        """
        plugs = self._plugs
        present = [name for name, kind in await _devices(self._qmp) if kind == "virtio-net-pci"]
        found = {name: self._known.get(name) or await self._properties(name) for name in present}
        nics = {name: nic for name, nic in found.items() if nic is not None}
        if plugs == self._plugs:
            self._known = nics
        return tuple(sorted(nics.values(), key=lambda nic: nic.id))

    async def _properties(self, name: str) -> PluggedNic | None:
        """A NIC by its device id; None when it has just left."""
        try:
            nic_id, mac, backend, bus = [
                await self._qmp.execute("qom-get", path=f"{PERIPHERAL}/{name}", property=key)
                for key in ("acpi-index", "mac", "netdev", "parent_bus")
            ]
        except QmpRefused as exc:
            if exc.error_class == "DeviceNotFound":
                return None
            raise
        port = int(bus.rpartition("/")[2].removeprefix("rp"))
        return PluggedNic(nic_id, backend.partition(".")[2], mac, port)


async def count(qmp: Qmp) -> int:
    """How many slots a machine was started with."""
    return sum(kind == "pcie-root-port" for _, kind in await _devices(qmp))


async def _devices(qmp: Qmp) -> list[tuple[str, str]]:
    """Id and type of every device that has an id."""
    listed = await qmp.execute("qom-list", path=PERIPHERAL)
    return [
        (one["name"], one["type"].removeprefix("child<").removesuffix(">"))
        for one in listed
        if one["type"].startswith("child<")
    ]
