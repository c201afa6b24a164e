"""Plugging and unplugging, against a machine that answers in QEMU's words."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reference_controller.node.drivers import slots as slots_module
from reference_controller.node.drivers.machine import Nic
from reference_controller.node.drivers.slots import (
    NicDiffers,
    NoFreeSlot,
    PluggedNic,
    Slots,
    UnplugRefused,
    count,
)
from tests.unit.node.fake_machine import FakeMachine, connected

FIRST = Nic(7, "t7a", "52:54:00:00:00:07")
SECOND = Nic(31, "t31a", "52:54:00:00:00:1F")


def drive(folder: Path, machine: FakeMachine, client: Callable[[Slots], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connected(machine, folder) as qmp:
            await client(Slots("vm", qmp, await count(qmp)))

    asyncio.run(run())


def test_the_machine_itself_says_what_is_plugged(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        await slots.plug(SECOND)
        await slots.plug(FIRST)
        assert await slots.nics() == (
            PluggedNic(7, "t7a", "52:54:00:00:00:07", 2),
            PluggedNic(31, "t31a", "52:54:00:00:00:1f", 1),
        )

    machine = FakeMachine(slots=2)
    # QEMU writes MACs in lower case, whatever it was given.
    machine.do_device_add = lower_case(machine.do_device_add)  # type: ignore[method-assign]
    drive(tmp_path, machine, client)


def lower_case(
    add: Callable[..., dict[str, object]],
) -> Callable[..., dict[str, object]]:
    return lambda **properties: add(**{**properties, "mac": properties["mac"].lower()})


def test_plugging_twice_plugs_once(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        assert await slots.plug(FIRST) == await slots.plug(FIRST)

    machine = FakeMachine(slots=2)
    drive(tmp_path, machine, client)
    assert machine.asked.count("device_add") == 1


def test_plugging_another_mac_under_the_same_id_is_refused(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        with pytest.raises(NicDiffers):
            await slots.plug(Nic(7, "t7a", "52:54:00:00:00:08"))

    drive(tmp_path, FakeMachine(slots=2), client)


def test_a_nic_too_many_finds_no_slot(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        with pytest.raises(NoFreeSlot, match="network 31"):
            await slots.plug(SECOND)

    drive(tmp_path, FakeMachine(slots=1), client)


def test_a_backend_left_over_from_a_crash_is_replaced(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)

    machine = FakeMachine(slots=1)
    machine.backends.add("net7.t7a")
    drive(tmp_path, machine, client)
    assert machine.backends == {"net7.t7a"}
    assert list(machine.nics) == ["nic7"]


def test_unplugging_frees_slot_and_backend(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        await slots.unplug(7)
        assert await slots.nics() == ()
        assert (await slots.plug(SECOND)).port == 1

    machine = FakeMachine(slots=1)
    drive(tmp_path, machine, client)
    assert machine.backends == {"net31.t31a"}


def test_unplugging_what_is_not_there_is_done_at_once(tmp_path: Path) -> None:
    async def client(slots: Slots) -> None:
        await slots.unplug(7)

    drive(tmp_path, FakeMachine(slots=1), client)


def test_a_slow_guest_can_be_waited_for_again(tmp_path: Path) -> None:
    machine = FakeMachine(slots=1)

    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        machine.releases = False
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(slots.unplug(7), 0.02)
        assert len(await slots.nics()) == 1
        again = asyncio.create_task(slots.unplug(7))
        while machine.asked.count("device_del") < 2:
            await asyncio.wait([again], timeout=0.01)
        machine.release("nic7")
        await again
        assert await slots.nics() == ()

    drive(tmp_path, machine, client)


def test_a_guest_that_lost_the_request_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots_module, "ASK_AGAIN", 0.02)
    machine = FakeMachine(slots=1)

    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        machine.releases = False
        waiting = asyncio.create_task(slots.unplug(7))
        while machine.asked.count("device_del") < 2:
            await asyncio.wait([waiting], timeout=0.01)
        machine.leaving.clear()
        machine.releases = True
        await waiting

    drive(tmp_path, machine, client)


def test_a_guest_that_keeps_its_nic_is_told(tmp_path: Path) -> None:
    machine = FakeMachine(slots=1)

    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        machine.releases = False
        waiting = asyncio.create_task(slots.unplug(7))
        while "device_del" not in machine.asked:
            await asyncio.wait([waiting], timeout=0.01)
        machine.event("DEVICE_UNPLUG_GUEST_ERROR", device="nic7")
        with pytest.raises(UnplugRefused, match="nic7"):
            await waiting

    drive(tmp_path, machine, client)


def test_one_nic_leaves_after_the_other(tmp_path: Path) -> None:
    machine = FakeMachine(slots=2)

    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        await slots.plug(SECOND)
        machine.releases = False
        both = [asyncio.create_task(slots.unplug(nic)) for nic in (7, 31)]
        await asyncio.wait(both, timeout=0.05)
        assert machine.leaving == {"nic7"}
        machine.releases = True
        machine.release("nic7")
        await asyncio.gather(*both)
        assert not machine.nics

    drive(tmp_path, machine, client)


def test_plugging_a_nic_that_leaves_waits_for_it_to_be_gone(tmp_path: Path) -> None:
    machine = FakeMachine(slots=1)

    async def client(slots: Slots) -> None:
        await slots.plug(FIRST)
        machine.releases = False
        leaving = asyncio.create_task(slots.unplug(7))
        while "device_del" not in machine.asked:
            await asyncio.wait([leaving], timeout=0.01)
        back = asyncio.create_task(slots.plug(FIRST))
        await asyncio.wait([back], timeout=0.02)
        machine.release("nic7")
        await leaving
        await back
        assert list(machine.nics) == ["nic7"]

    drive(tmp_path, machine, client)
    assert machine.asked.count("device_add") == 2
