"""The command line of a guest's QEMU."""

from itertools import pairwise
from pathlib import Path

import pytest

from reference_controller.node.drivers import machine
from reference_controller.node.drivers.machine import Boot, Nic, Ram, Shape, Sockets

BOOT = Boot(Path("/k"), Path("/i"))
SOCKETS = Sockets(Path("/run/g"))
NIC = Nic(40, "t40vm", "52:54:00:00:00:28")


def words(shape: Shape, **options: object) -> list[str]:
    return machine.command_line(shape, BOOT, SOCKETS, name="vm", **options)  # type: ignore[arg-type]


def values(command: list[str], option: str) -> list[str]:
    return [after for word, after in pairwise(command) if word == option]


def test_every_slot_has_a_root_port_of_its_own() -> None:
    ports = [one for one in values(words(Shape(slots=3)), "-device") if "pcie-root-port" in one]
    assert ports == [
        f"pcie-root-port,id=rp{n},chassis={n},slot={n},addr=0x{n + 15:x}" for n in (1, 2, 3)
    ]


@pytest.mark.parametrize("slots", [0, 15])
def test_a_machine_cannot_have_so_many_slots(slots: int) -> None:
    with pytest.raises(ValueError, match=f"slots={slots}"):
        Shape(slots=slots)


def test_a_nic_there_from_the_start_sits_in_its_port_under_its_network_id() -> None:
    command = words(Shape(), nics={3: NIC})
    assert values(command, "-netdev") == ["tap,id=net40.t40vm,ifname=t40vm,script=no,downscript=no"]
    assert values(command, "-device")[-1] == (
        "virtio-net-pci,id=nic40,netdev=net40.t40vm,mac=52:54:00:00:00:28,bus=rp3,acpi-index=40,"
        "romfile="
    )


def test_a_clone_writes_to_copies_of_the_templates_pages() -> None:
    command = words(Shape(), ram=Ram(Path("/t/ram"), shared=False), incoming=True)
    assert "memory-backend-file,id=ram0,size=96M,mem-path=/t/ram,share=off" in command
    assert values(command, "-M")[0].endswith("memory-backend=ram0")
    assert values(command, "-incoming") == ["defer"]


def test_only_the_template_boots_without_looking_for_an_identity() -> None:
    flags = [
        machine.TEMPLATE_FLAG in values(words(Shape(), template=template), "-append")[0].split()
        for template in (True, False)
    ]
    assert flags == [True, False]


def test_free_ports_come_lowest_first() -> None:
    assert machine.free_ports(4, [1, 3]) == [2, 4]
