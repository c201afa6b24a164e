"""What a rig is told at its start, by a JSON line on its standard input."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from e2e.environments.embedded.recipes import GuestFiles
from tools.controlplane import ControlPlane

DETACH = b'{"detached": true}\n'
"""The later line that allows a rig to outlive its starter."""


@dataclass(frozen=True)
class Options:
    """One rig.

    Attributes:
        pid: the rig's process as the host numbers it, which it cannot know itself.
        controller: command line instead of the reference's; empty for the reference.
        argv: that command line, split; with placeholders.
        webhooks: manifest of the controller's webhooks.
        exported: a copy of the administrator's kubeconfig that goes with the rig.
    """

    pid: int
    name: str
    binaries: ControlPlane
    guest: GuestFiles
    argv: tuple[str, ...]
    controller: str = ""
    webhooks: Path | None = None
    exported: Path | None = None


def encode(options: Options) -> bytes:
    """One line."""
    return json.dumps(asdict(options), default=str).encode() + b"\n"


def decode(line: bytes) -> Options:
    """The options of one line, which `encode` made."""
    raw: dict[str, Any] = json.loads(line)

    def optional(key: str) -> Path | None:
        return Path(raw[key]) if raw[key] is not None else None

    return Options(
        pid=int(raw["pid"]),
        name=str(raw["name"]),
        binaries=ControlPlane(**{key: Path(value) for key, value in raw["binaries"].items()}),
        guest=GuestFiles(**{key: Path(value) for key, value in raw["guest"].items()}),
        argv=tuple(raw["argv"]),
        controller=str(raw["controller"]),
        webhooks=optional("webhooks"),
        exported=optional("exported"),
    )
