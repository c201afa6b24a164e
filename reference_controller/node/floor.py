"""Measures the drivers alone: clone a guest, plug and unplug a NIC, with DHCP, without Kubernetes.

Run through `tools.benchmarks.floor`, which says what is printed. Namespaces, links and files are
made for the measurement and removed after it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from reference_controller.node.drivers import template as templates
from reference_controller.node.drivers.dhcp import Reservation, Responder
from reference_controller.node.drivers.guest_agent import AgentRefused, AgentUnavailable
from reference_controller.node.drivers.identity import Identity, machine_id
from reference_controller.node.drivers.links import LinkRefused, Links
from reference_controller.node.drivers.machine import Boot, Nic
from reference_controller.node.drivers.netns import Netns, NetnsUnusable
from reference_controller.node.drivers.qemu import GuestProcess, StartFailed
from reference_controller.node.drivers.qmp import QmpError
from reference_controller.node.drivers.template import Template, TemplateUnusable
from reference_controller.runtime import logs

BRIDGE = "floor"
TAP = "floor2"
NIC = Nic(2, TAP, "02:00:00:00:00:02")
RESERVATION = Reservation(
    NIC.mac, IPv4Interface("192.0.2.2/24"), server=IPv4Address("192.0.2.1"), gateway=None
)
PATIENCE = 30.0
"""Seconds for one round; a machine that needs more has no floor worth telling."""
PAUSE = 0.02
"""Seconds between questions to the guest, which has no event for this; they cost it time, too."""


@dataclass(frozen=True)
class Round:
    """Seconds of each stage of one plug and unplug."""

    device_add: float
    guest_link: float
    lease: float
    unplug: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="floor", description=__doc__)
    parser.add_argument("--kernel", type=Path, required=True)
    parser.add_argument("--initrd", type=Path, required=True)
    parser.add_argument("--template", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    logs.configure("floor")
    boot = Boot(given.kernel, given.initrd)
    try:
        rounds = asyncio.run(measure(boot, given.template, given.rounds))
    except TimeoutError:
        sys.exit(f"floor: the guest has not got or released its NIC in {PATIENCE:g} s")
    except (
        AgentRefused,
        AgentUnavailable,
        LinkRefused,
        NetnsUnusable,
        OSError,
        QmpError,
        StartFailed,
        TemplateUnusable,
    ) as exc:
        sys.exit(f"floor: {exc}")
    medians = {
        stage: round(statistics.median(getattr(one, stage) for one in rounds), 4)
        for stage in Round.__dataclass_fields__
    }
    sys.stdout.write(json.dumps(medians) + "\n")


async def measure(boot: Boot, template: Path, rounds: int) -> list[Round]:
    """Plug and unplug `rounds` times in one guest."""
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="floor", dir="/run"))
        node, hub = await Netns.create("floor"), await Netns.create("floor-hub")
        stack.callback(hub.remove)
        stack.callback(node.remove)
        links, responder = Links(node, hub), Responder(node)
        stack.push_async_callback(links.close)
        stack.callback(responder.close)
        await links.load()
        await links.add_bridge(BRIDGE, BRIDGE)
        await links.add_tap(TAP, BRIDGE, TAP)
        await responder.serve(TAP, RESERVATION)
        guest = await stack.enter_async_context(
            _guest(Template.load(template, boot), Path(directory), node)
        )
        return [await _round(guest) for _ in range(rounds)]


async def _round(guest: GuestProcess) -> Round:
    async with asyncio.timeout(PATIENCE):
        begun = time.monotonic()
        await guest.plug(NIC)
        plugged = time.monotonic()
        while not await _told(guest):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE)  # noqa: TID251
        linked = time.monotonic()
        while not any(await _told(guest)):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE)  # noqa: TID251
        leased = time.monotonic()
        await guest.unplug(NIC.id)
        ended = time.monotonic()
    return Round(plugged - begun, linked - plugged, leased - linked, ended - leased)


async def _told(guest: GuestProcess) -> list[bool]:
    """For each interface that the guest reports with the NIC's MAC: whether it has the address."""
    return [
        any(one.ip == RESERVATION.address.ip for one in told.addresses or ())
        for told in await guest.agent.interfaces()
        if told.mac == NIC.mac
    ]


@asynccontextmanager
async def _guest(template: Template, directory: Path, node: Netns) -> AsyncIterator[GuestProcess]:
    key = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    identity = Identity("floor", machine_id("floor"), "", key.decode())
    guest = await templates.clone(template, directory / "guest", identity, netns=node.path)
    try:
        yield guest
    finally:
        await guest.kill()


if __name__ == "__main__":
    main()
