"""The command line of a guest's QEMU, as a value. Pure: starts nothing, reads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

TCG = "tcg,tb-size=64"
"""QEMU's default translation buffer doubles a small guest's memory; 16 MB thrashes (measured)."""
KVM = "kvm"
EMULATED_CPU = "qemu64,+rdrand,+rdseed"
"""Without the vector instructions of `max`: programs start in half the time (measured)."""
KERNEL_OPTIONS = "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off norandmaps"
"""norandmaps: QEMU translates code anew wherever it appears; at fixed addresses a dynamic program
starts in 18 ms instead of 108 (measured)."""
FIRST_PORT_ADDRESS = 0x10
MAX_SLOTS = 14
"""PCI addresses 0x10 to 0x1d; 0x1f is the chipset's."""
IDENTITY_ITEM = "opt/plumbline/identity"
TEMPLATE_FLAG = "plumbline.template"
"""On the kernel command line: wait for an identity instead of looking for one at boot."""


@dataclass(frozen=True)
class Shape:
    """What a guest and the template it is cloned from must agree on."""

    memory_mib: int = 96
    slots: int = 8
    accelerator: str = TCG
    binary: str = "qemu-system-x86_64"

    def __post_init__(self) -> None:
        if not 1 <= self.slots <= MAX_SLOTS:
            raise ValueError(f"slots={self.slots}: a machine has 1 to {MAX_SLOTS} NIC slots")


@dataclass(frozen=True)
class Boot:
    """Kernel and initramfs files."""

    kernel: Path
    initrd: Path


@dataclass(frozen=True)
class Nic:
    """One NIC of a guest: network id (the guest calls it eno<id>, by acpi-index), tap, MAC."""

    id: int
    tap: str
    mac: str


@dataclass(frozen=True)
class Ram:
    """The file behind a guest's memory: written if `shared` (for a template), else private."""

    path: Path
    shared: bool


@dataclass(frozen=True)
class Sockets:
    """Where a guest's files are: everything about it is found from its directory alone."""

    directory: Path

    @property
    def qmp(self) -> Path:
        return self.directory / "qmp"

    @property
    def agent(self) -> Path:
        return self.directory / "agent"

    @property
    def serial(self) -> Path:
        return self.directory / "serial"

    @property
    def console_log(self) -> Path:
        return self.directory / "console.log"

    @property
    def pid_file(self) -> Path:
        return self.directory / "pid"

    @property
    def identity(self) -> Path:
        return self.directory / "identity"


def port_name(port: int) -> str:
    """The root port in slot `port` (1..slots)."""
    return f"rp{port}"


def device_name(nic_id: int) -> str:
    """QEMU's id of the NIC of network `nic_id`."""
    return f"nic{nic_id}"


def backend_name(nic: Nic) -> str:
    """QEMU's id of the NIC's tap backend. Carries the tap's name: nothing else in QMP tells it."""
    return f"net{nic.id}.{nic.tap}"


def device_properties(nic: Nic, port: int) -> dict[str, str | int]:
    """The NIC as `device_add` takes it.

    Without option ROM; an empty file name, for hot-plug refuses rombar=0.
    """
    return {
        "driver": "virtio-net-pci",
        "id": device_name(nic.id),
        "netdev": backend_name(nic),
        "mac": nic.mac,
        "bus": port_name(port),
        "acpi-index": nic.id,
        "romfile": "",
    }


def backend_properties(nic: Nic) -> dict[str, str]:
    """The NIC's backend as `netdev_add` takes it: a tap that exists already."""
    return {
        "type": "tap",
        "id": backend_name(nic),
        "ifname": nic.tap,
        "script": "no",
        "downscript": "no",
    }


def free_ports(slots: int, taken: Iterable[int]) -> list[int]:
    """Ports without a NIC, lowest first."""
    return sorted(set(range(1, slots + 1)) - set(taken))


def command_line(
    shape: Shape,
    boot: Boot,
    sockets: Sockets,
    *,
    name: str,
    ram: Ram | None = None,
    nics: Mapping[int, Nic] | None = None,
    incoming: bool = False,
    template: bool = False,
) -> list[str]:
    """QEMU's arguments.

    `nics` maps ports to NICs there from the start; `incoming` waits for a saved or migrated state;
    `template` makes the guest wait for an identity instead of looking for one.
    """
    machine = "q35,usb=off,smbus=off,sata=off,hpet=off" + (",memory-backend=ram0" if ram else "")
    append = f"{KERNEL_OPTIONS} {TEMPLATE_FLAG}" if template else KERNEL_OPTIONS
    words = [
        shape.binary,
        *("-name", name, "-M", machine, "-accel", shape.accelerator),
        *("-cpu", "host" if shape.accelerator == KVM else EMULATED_CPU),
        *("-m", str(shape.memory_mib), "-smp", "1"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-vga", "none"),
        *("-kernel", str(boot.kernel), "-initrd", str(boot.initrd), "-append", append),
        *("-serial", f"unix:{sockets.serial},server=on,wait=off,logfile={sockets.console_log}"),
        *("-qmp", f"unix:{sockets.qmp},server=on,wait=off"),
        *("-device", "virtio-serial-pci,id=vs0,addr=0x2"),
        *("-chardev", f"socket,id=agent,path={sockets.agent},server=on,wait=off"),
        # Without an id of its own the port sends no VSERPORT_CHANGE.
        *("-device", "virtserialport,id=agentport,chardev=agent,name=org.qemu.guest_agent.0"),
        *("-device", "virtio-rng-pci,addr=0x3"),
        *("-fw_cfg", f"name={IDENTITY_ITEM},file={sockets.identity}"),
        *("-daemonize", "-pidfile", str(sockets.pid_file)),
    ]
    if ram is not None:
        share = "on" if ram.shared else "off"
        words += [
            "-object",
            f"memory-backend-file,id=ram0,size={shape.memory_mib}M,mem-path={ram.path},share={share}",
        ]
    for port in range(1, shape.slots + 1):
        address = FIRST_PORT_ADDRESS + port - 1
        words += [
            "-device",
            f"pcie-root-port,id={port_name(port)},chassis={port},slot={port},addr={address:#x}",
        ]
    for port, nic in sorted((nics or {}).items()):
        backend = backend_properties(nic)
        words += [
            "-netdev",
            ",".join([backend.pop("type"), *(f"{k}={v}" for k, v in backend.items())]),
        ]
        device = device_properties(nic, port)
        words += [
            "-device",
            ",".join([str(device.pop("driver")), *(f"{k}={v}" for k, v in device.items())]),
        ]
    if incoming:
        words += ["-incoming", "defer"]
    return words
