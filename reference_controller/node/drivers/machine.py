"""The command line of a guest's QEMU, as a value. Pure: starts nothing, reads nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shape:
    """What a guest and the template it is cloned from must agree on."""

    memory_mib: int = 96
    slots: int = 8
    accelerator: str = "tcg,tb-size=32"
    binary: str = "qemu-system-x86_64"


@dataclass(frozen=True)
class Nic:
    """One NIC of a guest: network id (also its acpi-index: the guest calls it eno<id>), existing tap, MAC."""

    id: int
    tap: str
    mac: str


@dataclass(frozen=True)
class Boot:
    """Kernel and initramfs files."""

    kernel: Path
    initrd: Path


def slot_map(ids: tuple[int, ...], taken: dict[int, int], slots: int) -> dict[int, int]: ...
