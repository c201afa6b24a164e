"""What a decision asks of the drivers; each action may be repeated."""

from __future__ import annotations

from dataclasses import dataclass

from .world import Reservation


@dataclass(frozen=True)
class Admit:
    """Take note of the pod on disk, so that its guest is known after a restart of the agent."""


@dataclass(frozen=True)
class MakeTap:
    """The link of `interface`, on `bridge`."""

    interface: str
    bridge: str


@dataclass(frozen=True)
class RemoveTap:
    """Delete the link of `interface`, and what is served there."""

    interface: str


@dataclass(frozen=True)
class Serve:
    """Give `reservation` at the link of `interface`, in place of an earlier one."""

    interface: str
    reservation: Reservation


@dataclass(frozen=True)
class Silence:
    """Serve nothing at the link of `interface`."""

    interface: str


@dataclass(frozen=True)
class Start:
    """Begin to make the machine of the pod, without NICs; nobody waits for it."""

    hostname: str
    machine: str


@dataclass(frozen=True)
class Plug:
    """Put a NIC on the link of `interface` into the running machine."""

    id: int
    interface: str
    mac: str


@dataclass(frozen=True)
class Unplug:
    """Ask the guest to let NIC `id` go. Takes as long as the guest likes; nobody waits for it."""

    id: int


@dataclass(frozen=True)
class Flap:
    """Pull the cable of NIC `id` and put it back, so that the guest asks for its address again."""

    id: int


@dataclass(frozen=True)
class Stop:
    """End the machine now."""


@dataclass(frozen=True)
class Discard:
    """Forget the pod and delete its files."""


@dataclass(frozen=True)
class MakeBridge:
    """The network's bridge on this node, joined to the hub."""


@dataclass(frozen=True)
class RemoveBridge:
    """Take the network's bridge away from this node."""


Action = (
    Admit
    | MakeTap
    | RemoveTap
    | Serve
    | Silence
    | Start
    | Plug
    | Unplug
    | Flap
    | Stop
    | Discard
    | MakeBridge
    | RemoveBridge
)
