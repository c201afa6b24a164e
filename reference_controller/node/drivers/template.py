"""The copy-on-write template: a booted guest, saved once, from which clones start in a tenth of a second.

Its RAM is a file that clones map privately, so they share every page they do not write. The saved device state fits
only the QEMU, machine shape, kernel and initramfs it was made with.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reference_controller.node.drivers.identity import Identity
from reference_controller.node.drivers.machine import Boot, Shape
from reference_controller.node.drivers.qemu import GuestProcess


class TemplateUnusable(Exception):
    """The directory holds no template, or one that this QEMU cannot restore."""


@dataclass(frozen=True)
class Template:
    """A saved guest: `directory` holds `ram`, `state` and `template.json` (the shape)."""

    directory: Path
    boot: Boot
    shape: Shape

    @classmethod
    def load(cls, directory: Path, boot: Boot) -> Template:
        """TemplateUnusable."""


async def create(directory: Path, boot: Boot, shape: Shape, *, within: float = 120.0) -> Template:
    """Boot a guest, wait for its agent, save it into `directory` (which must be empty or absent). StartFailed."""


async def clone(
    template: Template, directory: Path, identity: Identity, *, netns: Path | None = None
) -> GuestProcess:
    """A running guest without NICs, with its own random state, clock, names and keys; plug Main next.

    Returns after the guest agent has applied the identity (about 0.2 s). StartFailed, TemplateUnusable,
    AgentUnavailable: the process is then gone again.
    """
