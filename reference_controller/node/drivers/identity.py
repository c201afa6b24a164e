"""What makes one guest itself: names, keys, random state, clock.

A clone of the template is given the files of its identity through its agent; before anything else
it reseeds its random numbers, which it shares with every other clone until then. The files are also
in the machine (a fw_cfg item), so a guest that reboots finds them again without help.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from dataclasses import dataclass

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from reference_controller.node.drivers.guest_agent import AgentRefused, GuestAgent

ADOPT = "/usr/sbin/identity"
"""The guest image's program that reseeds, sets the clock and unpacks the identity."""


@dataclass(frozen=True)
class Identity:
    """`machine_id`: 32 hex digits. `host_key`: OpenSSH private key, ed25519, unencrypted."""

    hostname: str
    machine_id: str
    authorized_keys: str
    host_key: str


def machine_id(uid: str) -> str:
    """A machine-id that stays the same for the same object UID."""
    return hashlib.sha256(f"machine-id {uid}".encode()).hexdigest()[:32]


def archive(identity: Identity) -> bytes:
    """The files of the identity as a tar archive, as the guest image unpacks it.

    Raises:
        ValueError: the host key is not an unencrypted ed25519 key of OpenSSH.
    """
    files = {
        "etc/hostname": f"{identity.hostname}\n".encode(),
        "etc/machine-id": f"{identity.machine_id}\n".encode(),
        "etc/dropbear/host_key": _dropbear_key(identity.host_key),
        "root/.ssh/authorized_keys": identity.authorized_keys.encode(),
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o600
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


async def adopt(agent: GuestAgent, files: bytes, *, now: float, within: float) -> None:
    """Make a fresh clone take on an identity (`files`: see archive); `now` is Unix time.

    Raises:
        AgentUnavailable: it is not done within so many seconds.
        AgentRefused: the guest's program is missing or failed; the message carries its output.
    """
    outcome = await agent.run(ADOPT, str(int(now)), stdin=files, within=within)
    if outcome.status != 0:
        said = (outcome.stderr or outcome.stdout).decode(errors="replace").strip()
        raise AgentRefused(
            f"the guest cannot take on its identity (status {outcome.status}): {said}"
        )


def _dropbear_key(openssh: str) -> bytes:
    """The same key in dropbear's format: name, then private and public part as one string."""
    try:
        key = serialization.load_ssh_private_key(openssh.encode(), password=None)
    except (ValueError, TypeError) as exc:
        raise ValueError(f"host key: not an unencrypted OpenSSH private key: {exc}") from exc
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("host key: not ed25519; make one with `ssh-keygen -t ed25519 -N ''`")
    public = key.public_key().public_bytes_raw()
    parts = (b"ssh-ed25519", key.private_bytes_raw() + public)
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
