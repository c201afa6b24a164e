"""One guest through a changed address, a pulled cable, a hung agent, a slow release, a reboot."""

import asyncio
import json
import time
from typing import Any

from reference_controller.node.drivers.guest_agent import AgentUnavailable
from reference_controller.node.drivers.machine import Nic
from reference_controller.node.drivers.qemu import GuestProcess
from tests.integration.guests.probes.site import Site, leased, site

FLAP = 1.2
BUSY = (
    "echo -1 >/proc/sys/kernel/sched_rt_runtime_us;"
    # One priority lower than its timeout, which would else never run again.
    " chrt -f 99 timeout 2 chrt -f 98 sh -c 'while :; do :; done' >/dev/null 2>&1 &"
)


async def main() -> None:
    told: dict[str, Any] = {}
    async with site() as place:
        guest = await place.clone("only")
        main = await place.nic(1, 11)
        await guest.plug(main)
        await leased(guest, "eno1", 11)
        await readdressed(place, guest, main, told)
        await silenced(guest, told)
        await slowed(place, guest, told)
        await rebooted(place, guest, told)
        await guest.power_down()
        async with asyncio.timeout(20):
            await guest.ended()
        told["powered_down"] = True
        await guest.release()
    print(json.dumps(told))


async def readdressed(place: Site, guest: GuestProcess, nic: Nic, told: dict[str, Any]) -> None:
    """A new address by renewal alone, then another by a flap; `fe80::` stays."""
    await place.serve(nic, 12)
    told["renewed_seconds"] = await leased(guest, "eno1", 12)
    await place.serve(nic, 13)
    await guest.set_link(1, up=False)
    await asyncio.sleep(FLAP)  # noqa: TID251
    await guest.set_link(1, up=True)
    told["flapped_seconds"] = await leased(guest, "eno1", 13)


async def silenced(guest: GuestProcess, told: dict[str, Any]) -> None:
    """An agent that is away, then back: the port says so, and no answer is mixed up."""
    with guest.qmp.subscribe() as events:
        await guest.agent.run("/bin/sh", "-c", "(sleep 0.1; killall qemu-ga) >/dev/null 2>&1 &")
        for is_open in (False, True):
            async with asyncio.timeout(20):
                while (await events.next("VSERPORT_CHANGE")).data["open"] is not is_open:
                    pass
        told["agent_seen"] = ["closed", "open"]
    told["agent_back"] = (await guest.agent.interfaces())[0].name


async def slowed(place: Site, guest: GuestProcess, told: dict[str, Any]) -> None:
    """A guest too busy to let a NIC go: the wait can be given up and taken up again."""
    await guest.plug(await place.nic(2, 22))
    await leased(guest, "eno2", 22)
    await guest.agent.run("/bin/sh", "-c", BUSY)
    begun = time.monotonic()
    try:
        async with asyncio.timeout(0.5):
            await guest.unplug(2)
    except TimeoutError:
        told["kept_for_a_while"] = [nic.id for nic in await guest.nics()]
    await guest.unplug(2)
    told["slow_unplug_seconds"] = time.monotonic() - begun
    try:
        await guest.agent.ping()
    except AgentUnavailable:
        told["agent_after_slowness"] = False


async def rebooted(place: Site, guest: GuestProcess, told: dict[str, Any]) -> None:
    """The same guest after a reboot: name, host key, user, NIC name; another boot."""
    asked = "hostname; cat /proc/sys/kernel/random/boot_id"
    before = await place.ssh("10.9.0.13", asked)
    with guest.qmp.subscribe() as events:
        await place.ssh("10.9.0.13", "reboot")
        async with asyncio.timeout(90):
            await events.next("RESET")
            await events.next("VSERPORT_CHANGE", match=lambda event: event.data["open"] is True)
    await leased(guest, "eno1", 13)
    after = await place.ssh("10.9.0.13", asked)
    told["hostname_after_reboot"] = after.split()[0]
    told["another_boot"] = before != after


if __name__ == "__main__":
    asyncio.run(main())
