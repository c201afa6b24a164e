"""One running guest: its process, its NICs, its end.

The process outlives whoever started it. Everything about it is in its directory (sockets, pid file, console log), and
`GuestProcess.adopt` takes it over from there; the running machine itself, not a record, says which NICs it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from reference_controller.node.drivers.guest_agent import GuestAgent
from reference_controller.node.drivers.identity import Identity
from reference_controller.node.drivers.machine import Boot, Nic, Shape
from reference_controller.node.drivers.qmp import Qmp


class GuestGone(Exception):
    """No such guest is running in that directory (any more)."""


class StartFailed(Exception):
    """QEMU did not start; the message carries what it said."""


class NoFreeSlot(Exception):
    """Every root port of the machine has a NIC (spec: Configured=False, ConfigurationError)."""


class UnplugRefused(Exception):
    """The guest turned the request down; it may be repeated."""


class State(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    SHUTDOWN = "shutdown"
    GONE = "gone"


@dataclass(frozen=True)
class PluggedNic:
    """A NIC in the running machine. `unplugging`: requested, the guest has not let go yet."""

    id: int
    tap: str
    mac: str
    port: int


class GuestProcess:
    """Handle of one running guest. Plugs and unplugs are serialised inside."""

    directory: Path
    pid: int
    qmp: Qmp
    agent: GuestAgent

    @classmethod
    async def boot(
        cls,
        directory: Path,
        shape: Shape,
        boot: Boot,
        identity: Identity,
        *,
        netns: Path | None = None,
        nics: Sequence[Nic] = (),
    ) -> GuestProcess:
        """Start a guest from cold; returns when QEMU is up, long before the guest is. StartFailed."""

    @classmethod
    async def adopt(cls, directory: Path) -> GuestProcess:
        """Take over a guest that is running in `directory`. GuestGone."""

    async def plug(self, nic: Nic) -> PluggedNic:
        """Hot-plug. Already there with this MAC and tap: nothing to do. NoFreeSlot. A half-made NIC is repaired."""

    async def unplug(self, nic_id: int) -> None:
        """Ask the guest to let go and wait until it did, however long: bound it with asyncio.timeout().

        Cancelling only ends the wait; QEMU still lets the NIC go when the guest does, and calling again
        resumes the wait. Already gone: returns at once. UnplugRefused when the guest said no. The tap is left alone.
        """

    async def nics(self) -> tuple[PluggedNic, ...]:
        """The NICs in the machine now, by id; asked of QEMU each time."""

    async def set_link(self, nic_id: int, *, up: bool) -> None: ...

    async def state(self) -> State: ...

    async def agent_open(self) -> bool:
        """Whether a guest agent has its port open (it may hang nevertheless)."""

    async def power_down(self) -> None:
        """Ask the guest to shut down; QEMU ends when it has. See `ended`."""

    async def kill(self) -> None:
        """End the process and wait for that. Its directory stays."""

    async def ended(self) -> None:
        """Return when the process is gone."""

    async def release(self) -> None:
        """Let the guest run on without us: close the connections only."""
