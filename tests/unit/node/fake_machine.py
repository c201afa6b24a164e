"""A QEMU as far as QMP shows it: devices that come and go, answers in QEMU's words."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from reference_controller.node.drivers.qmp import Qmp
from tests.unit.node.fake_line_server import Line, Request, serving

GREETING: Request = {"QMP": {"version": {}, "capabilities": []}}
NO_DEVICE = "DeviceNotFound"
GENERIC = "GenericError"


class Refusal(Exception):
    """What the fake answers as an error: class and description."""

    def __init__(self, kind: str, description: str) -> None:
        super().__init__(kind, description)


class FakeMachine:
    """`releases`: whether the guest lets a NIC go when asked."""

    def __init__(self, slots: int) -> None:
        self.nics: dict[str, dict[str, Any]] = {}
        self.backends: set[str] = set()
        self.slots = slots
        self.releases = True
        self.leaving: set[str] = set()
        self.asked: list[str] = []
        self._line: Line | None = None

    async def answer(self, request: Request, line: Line) -> None:
        self._line = line
        name = request["execute"]
        self.asked.append(name)
        try:
            reply = {
                "return": getattr(self, f"do_{name.replace('-', '_')}")(
                    **{key.replace("-", "_"): v for key, v in request.get("arguments", {}).items()}
                )
            }
        except Refusal as refusal:
            kind, description = refusal.args
            reply = {"error": {"class": kind, "desc": description}}
        line.send({**reply, "id": request["id"]})
        if name == "device_del" and self.releases and "return" in reply:
            self.release(request["arguments"]["id"])

    def event(self, name: str, **data: object) -> None:
        assert self._line is not None
        stamp = {"seconds": 1, "microseconds": 0}
        self._line.send({"event": name, "data": data, "timestamp": stamp})

    def release(self, device: str) -> None:
        """The guest lets a NIC go."""
        self.leaving.discard(device)
        del self.nics[device]
        self.event("DEVICE_DELETED", device=device, path=f"/machine/peripheral/{device}")

    def do_qmp_capabilities(self) -> dict[str, object]:
        return {}

    def do_qom_list(self, path: str) -> list[dict[str, str]]:
        ports = [f"rp{n}" for n in range(1, self.slots + 1)]
        return [
            {"name": "type", "type": "string"},
            *({"name": name, "type": "child<pcie-root-port>"} for name in ports),
            *({"name": name, "type": "child<virtio-net-pci>"} for name in self.nics),
        ]

    def do_qom_get(self, path: str, property: str) -> object:
        nic = self.nics.get(path.rpartition("/")[2])
        if nic is None:
            raise Refusal(NO_DEVICE, f"Device '{path}' not found")
        return nic[property]

    def do_netdev_add(self, id: str, **_: object) -> dict[str, object]:
        if id in self.backends:
            raise Refusal(GENERIC, f"Duplicate ID '{id}' for netdev")
        self.backends.add(id)
        return {}

    def do_netdev_del(self, id: str) -> dict[str, object]:
        if id not in self.backends:
            raise Refusal(NO_DEVICE, f"Device '{id}' not found")
        self.backends.remove(id)
        return {}

    def do_device_add(self, id: str, bus: str, **properties: Any) -> dict[str, object]:
        properties = {key.replace("_", "-"): value for key, value in properties.items()}
        self.nics[id] = {**properties, "parent_bus": f"/machine/peripheral/{bus}/{bus}"}
        return {}

    def do_device_del(self, id: str) -> dict[str, object]:
        if id not in self.nics:
            raise Refusal(NO_DEVICE, f"Device '{id}' not found")
        if id in self.leaving:
            raise Refusal(GENERIC, f"Device {id} is already in the process of unplug")
        self.leaving.add(id)
        return {}


@asynccontextmanager
async def connected(machine: FakeMachine, folder: Path) -> AsyncIterator[Qmp]:
    """A client of the fake."""
    path = folder / "qmp"
    async with serving(path, machine.answer, greeting=GREETING):
        qmp = await Qmp.connect(path)
        try:
            async with asyncio.timeout(5):
                yield qmp
        finally:
            await qmp.close()
