"""A real guest through two lives of the node agent's registry of machines, to its own end."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from reference_controller.node.agent.machines import Keys, Machines
from reference_controller.node.agent.settings import Polls
from reference_controller.node.drivers.dhcp import Reservation, Responder
from reference_controller.node.drivers.guest_agent import AgentUnavailable
from reference_controller.node.drivers.links import Links
from reference_controller.node.drivers.machine import Boot, Nic
from reference_controller.node.drivers.netns import Netns
from reference_controller.node.drivers.template import Template
from reference_controller.node.plan.world import Guest
from reference_controller.runtime import logs

UID = "05974935-f222-42b4-bee2-84278e5f46c2"
MAIN = Nic(1, "t1", "02:00:00:00:00:05")
ADDRESS = IPv4Interface("10.66.10.5/16")
PATIENCE = 60.0


class Life:
    """One life of the agent: machines, and what they tell."""

    def __init__(self, directory: Path, netns: Path, template: Template, keys: Keys) -> None:
        self._news = asyncio.Event()
        polls = Polls(0.1, 0.5)
        self.machines = Machines(
            directory, netns, template, keys, polls, lambda _: self._news.set()
        )

    async def until(self, holds: Any) -> Guest:
        """The guest's facts once `holds(facts)`."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self._news.clear()
                facts = await self.machines.facts(UID)
                if facts is not None and holds(facts):
                    return facts
                await self._news.wait()


async def main() -> None:
    """Start, let go, adopt, unplug, power off."""
    parser = argparse.ArgumentParser()
    for option in ("--kernel", "--initrd", "--template"):
        parser.add_argument(option, type=Path, required=True)
    given = parser.parse_args()
    logs.configure("probe")
    template = Template.load(given.template, Boot(given.kernel, given.initrd))
    hub, node = await Netns.create("hub"), await Netns.create("node-a")
    links, responder = Links(node, hub), Responder(node)
    await links.load()
    await links.add_bridge("main", "Main")
    await links.add_tap(MAIN.tap, "main", f"{UID}/default")
    await responder.serve(MAIN.tap, Reservation(MAIN.mac, ADDRESS, IPv4Address("10.66.0.1")))
    with tempfile.TemporaryDirectory(dir="/run") as directory:
        place = Path(directory)
        told = await _lives(lambda: Life(place, node.path, template, _keys()), place)
    responder.close()
    await links.close()
    node.remove()
    hub.remove()
    sys.stdout.write(json.dumps(told))


async def _lives(begin: Any, place: Path) -> dict[str, Any]:
    told: dict[str, Any] = {}
    first = begin()
    first.machines.admit(UID, "ns", "pod")
    told["admitted"] = await first.machines.facts(UID)
    first.machines.start(UID, "vm", UID)
    told["starting"] = first.machines.starting(UID)
    await first.until(lambda _: True)
    await first.machines.plug(UID, MAIN)
    facts = await first.until(_has_address)
    told["running"] = {
        "nics": [asdict(nic) for nic in facts.nics],
        "agent_open": facts.agent_open,
        "kernel": bool(facts.system.get("kernelRelease")),
    }
    await first.machines.release()
    second = begin()
    await second.machines.adopt()
    facts = await second.until(_has_address)
    told["adopted"] = [asdict(nic) for nic in facts.nics]
    second.machines.unplug(UID, MAIN.id)
    told["leaving"] = sorted((await second.until(lambda _: True)).leaving)
    told["unplugged"] = len((await second.until(lambda facts: not facts.nics)).nics)
    with suppress(AgentUnavailable):
        await second.machines.records[UID].attention.guest.power_down()
    told["ended"] = (await second.until(lambda facts: facts.ended)).ended
    await second.machines.release()
    third = begin()
    await third.machines.adopt()
    told["remembered"] = (await third.until(lambda _: True)).ended
    await third.machines.discard(UID)
    told["left"] = await asyncio.to_thread(os.listdir, place)
    await third.machines.release()
    return told


def _has_address(facts: Guest) -> bool:
    return any(ADDRESS.ip == one.ip for told in facts.report or () for one in told.addresses)


def _keys() -> Keys:
    key = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    return Keys("", key.decode())


if __name__ == "__main__":
    asyncio.run(main())
