"""What makes one guest itself: names, keys, random state, clock.

The files of an identity travel in the machine (a fw_cfg item), so a guest that reboots finds them again without help.
A clone of the template is told through its agent to pick them up: first of all it reseeds its random numbers, which it
shares with every other clone until then.
"""

from __future__ import annotations

from dataclasses import dataclass

from reference_controller.node.drivers.guest_agent import GuestAgent


@dataclass(frozen=True)
class Identity:
    """`machine_id`: 32 hex digits. `host_key`: OpenSSH private key, ed25519, unencrypted."""

    hostname: str
    machine_id: str
    authorized_keys: str
    host_key: str


def machine_id(uid: str) -> str:
    """A machine-id that stays the same for the same object UID."""


def archive(identity: Identity) -> bytes:
    """The files of the identity as a tar archive, as the guest image unpacks it. ValueError: unusable key."""


async def adopt(agent: GuestAgent, *, now: float) -> None:
    """Make a fresh clone apply the identity in its machine; `now` is Unix time. AgentUnavailable, AgentRefused."""
