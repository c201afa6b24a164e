"""What of the packages gets into the guest."""

import struct
from pathlib import Path

import pytest

from tools.guest_image import rootfs
from tools.guest_image.errors import GuestImageUnavailable


def module(depends: str) -> bytes:
    """A kernel module as far as its .modinfo goes."""
    info = f"license=GPL\0depends={depends}\0".encode()
    names = b"\0.modinfo\0.shstrtab\0"
    head = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 3, 2
    )
    start = 64 + 3 * 64
    sections = [
        bytes(64),
        struct.pack("<IIQQQQIIQQ", 1, 1, 0, 0, start, len(info), 0, 0, 1, 0),
        struct.pack("<IIQQQQIIQQ", 10, 3, 0, 0, start + len(info), len(names), 0, 0, 1, 0),
    ]
    return head + b"".join(sections) + info + names


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    drivers = tmp_path / "linux-image/lib/modules/6.1/kernel/drivers"
    drivers.mkdir(parents=True)
    depends = {
        "virtio_ring": "",
        "virtio": "virtio_ring",
        "virtio_pci": "virtio_ring,virtio",
        "virtio_console": "virtio",
        "virtio-rng": "virtio",
        "veth": "",
        "failover": "",
        "virtio_net": "virtio,failover",
        "qemu_fw_cfg": "",
    }
    for name, wanted in depends.items():
        (drivers / f"{name}.ko").write_bytes(module(wanted))
    return tmp_path / "linux-image"


def test_modules_are_loaded_after_what_they_depend_on(kernel: Path) -> None:
    tree = rootfs.modules(kernel)
    order = tree["usr/lib/modules/order"].content.decode().split()
    assert order == [
        *("virtio_ring", "virtio", "virtio_pci", "virtio_console", "virtio-rng", "veth"),
        *("failover", "virtio_net"),
    ]
    assert "usr/lib/modules/qemu_fw_cfg.ko" in tree


def test_a_module_that_is_gone_is_told(kernel: Path) -> None:
    next(kernel.rglob("failover.ko")).unlink()
    with pytest.raises(GuestImageUnavailable, match="no module failover"):
        rootfs.modules(kernel)


def test_a_program_is_found_with_and_without_merged_usr(tmp_path: Path) -> None:
    sources = rootfs.Sources(tmp_path, print)
    for place in ("old/bin/tool", "new/usr/bin/tool"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(place)
    assert sources.read("old", "bin/tool") == b"old/bin/tool"
    assert sources.read("new", "bin/tool") == b"new/usr/bin/tool"
    with pytest.raises(GuestImageUnavailable, match="new has no bin/other"):
        sources.read("new", "bin/other")


def test_scripts_of_our_own_are_executable() -> None:
    tree = rootfs.own_files()
    assert tree["usr/sbin/rc"].mode == 0o100755
    assert tree["etc/inittab"].mode == 0o100644
