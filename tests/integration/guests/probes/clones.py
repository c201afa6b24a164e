"""Two clones of one template: who they are, and what hot-plug does to them."""

import asyncio
import json
import time
from typing import Any

from reference_controller.node.drivers.machine import Nic
from reference_controller.node.drivers.qemu import GuestGone, GuestProcess, NoFreeSlot
from tests.integration.guests.probes.site import Site, leased, site

SELF = "cat /etc/hostname /etc/machine-id /proc/sys/kernel/random/boot_id; head -c 8 /dev/urandom"
TOOLS = "for t in ip nc chrt timeout ping; do command -v $t; done | wc -l; ip -j link | head -c 2"


async def main() -> None:
    told: dict[str, Any] = {}
    async with site() as place:
        begun = time.monotonic()
        first = await place.clone("first")
        told["clone_seconds"] = time.monotonic() - begun
        second = await place.clone("second")
        told["selves"] = [(await run(guest, SELF)).hex() for guest in (first, second)]
        told["clock_off"] = abs(float(await run(first, "date +%s")) - time.time())
        await reached(place, first, told)
        await plugged(place, first, told)
        told["still"] = await place.ssh("10.9.0.11", "hostname")
        await second.kill()
        told["state_after_kill"] = await second.state()
        told["gone"] = await gone(second)
        await first.kill()
    print(json.dumps(told))


async def run(guest: GuestProcess, command: str) -> bytes:
    return (await guest.agent.run("/bin/sh", "-c", command)).stdout


async def reached(place: Site, guest: GuestProcess, told: dict[str, Any]) -> None:
    """The first NIC, and SSH through it."""
    begun = time.monotonic()
    main = await place.nic(1, 11)
    await guest.plug(main)
    await leased(guest, "eno1", 11)
    told["lease_seconds"] = time.monotonic() - begun
    told["ssh_hostname"] = await place.ssh("10.9.0.11", "hostname")
    told["ssh_link_local"] = await place.ssh("fe80::5054:ff:fe00:10b%blue", "hostname")
    told["tools"] = (await place.ssh("10.9.0.11", TOOLS)).split()


async def plugged(place: Site, guest: GuestProcess, told: dict[str, Any]) -> None:
    """Hot-plug, unplug, adoption by another handle, a full machine."""
    await guest.plug(await place.nic(40, 40))
    await leased(guest, "eno40", 40)
    await guest.release()
    guest = await GuestProcess.adopt(guest.directory)
    told["adopted_nics"] = [(nic.id, nic.tap, nic.port) for nic in await guest.nics()]
    told["agent_open"] = await guest.agent_open()
    await guest.unplug(40)
    told["names_after_unplug"] = [nic.name for nic in await guest.agent.interfaces()]
    for nic_id in range(2, guest.slots + 1):
        await guest.plug(await place.nic(nic_id, 100 + nic_id))
    try:
        await guest.plug(Nic(99, "none", "52:54:00:00:63:01"))
    except NoFreeSlot as exc:
        told["full"] = str(exc)
    told["plugged"] = [nic.id for nic in await guest.nics()]
    await guest.release()


async def gone(guest: GuestProcess) -> bool:
    try:
        await GuestProcess.adopt(guest.directory)
    except GuestGone:
        return True
    return False


if __name__ == "__main__":
    asyncio.run(main())
