"""Links of a node and DHCP at a tap, with this process in the place of QEMU and the guest."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import struct
import subprocess
import sys
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

from pyroute2.dhcp.dhcp4msg import dhcp4msg

from reference_controller.node.drivers import links as link_drivers
from reference_controller.node.drivers.dhcp import Reservation, Responder
from reference_controller.node.drivers.links import LinkRefused, Links
from reference_controller.node.drivers.netns import Netns
from reference_controller.runtime import logs

MAC = "02:00:00:00:00:05"
GATEWAY = IPv4Address("10.66.0.1")
SILENCE = 0.3
"""Seconds without an answer that count as none; answers come within a few milliseconds."""


class Guest:
    """Speaks DHCP through a tap, as a guest behind it would."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        asyncio.get_running_loop().add_reader(descriptor, self._readable)

    async def ask(self, kind: int, mac: str = MAC, ciaddr: str = "0.0.0.0", **options: Any) -> str:
        """`OFFER 10.66.10.5`, or `silence`."""
        os.write(self._descriptor, _request(kind, mac, ciaddr, options))
        try:
            async with asyncio.timeout(SILENCE):
                while True:
                    frame = await self._frames.get()
                    if frame[12:14] == b"\x08\0" and frame[23] == 17:
                        message = dhcp4msg(buf=frame[42:]).decode()
                        return f"{message['options']['message_type'].name} {message['yiaddr']}"
        except TimeoutError:
            return "silence"

    def close(self) -> None:
        """Leave the tap."""
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _readable(self) -> None:
        self._frames.put_nowait(os.read(self._descriptor, 2048))


def _request(kind: int, mac: str, ciaddr: str, options: Mapping[str, Any]) -> bytes:
    nowhere = dict.fromkeys(("yiaddr", "siaddr", "giaddr"), "0.0.0.0")
    head = {"op": 1, "xid": 7, "flags": 0, "ciaddr": ciaddr, "chaddr": mac, **nowhere}
    message: bytes = dhcp4msg({**head, "options": {"message_type": kind, **options}}).encode().buf
    udp = struct.pack("!4H", 68, 67, 8 + len(message), 0) + message
    source = IPv4Address(ciaddr).packed
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + source
    ethernet = bytes.fromhex(f"ffffffffffff{mac}0800".replace(":", ""))
    return ethernet + header + b"\xff" * 4 + udp


def _open(tap: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, link_drivers.TUNSETIFF, struct.pack("16sH22x", tap.encode(), 0x1002))
    return descriptor


def _link_names(netns: Netns) -> list[str]:
    command = ["nsenter", f"--net={netns.path}", "ip", "-json", "link"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return sorted(link["ifname"][0] for link in listed if link["ifname"] != "lo")


async def main() -> None:
    """Everything, in the order in which a node goes through it."""
    logs.configure("probe")
    told: dict[str, Any] = {}
    hub, node = await Netns.create("hub"), await Netns.create("node-a")
    links, responder = Links(node, hub), Responder(node)
    await links.load()
    try:
        await links.add_tap("t1", "blue", "uid/early")
    except LinkRefused as refused:
        told["early"] = str(refused)
    for _ in range(2):
        await links.add_bridge("blue", "ClusterNetwork//blue")
        await links.add_tap("t1", "blue", "uid/default")
    told["made"] = _link_names(node), _link_names(hub)
    guest = Guest(await node.run(_open, "t1"))
    told["unserved"] = await guest.ask(1)
    first = Reservation(MAC, IPv4Interface("10.66.10.5/16"), GATEWAY, GATEWAY)
    await responder.serve("t1", first)
    told["discover"] = await guest.ask(1)
    told["request"] = await guest.ask(3, requested_ip="10.66.10.5", server_id="10.66.0.1")
    told["foreign"] = await guest.ask(1, mac="02:00:00:00:00:06")
    told["renew"] = await guest.ask(3, ciaddr="10.66.10.5")
    await responder.serve("t1", Reservation(MAC, IPv4Interface("10.66.10.6/16"), GATEWAY))
    told["renew-after-change"] = await guest.ask(3, ciaddr="10.66.10.5")
    told["discover-after-change"] = await guest.ask(1)
    await _flap(node, "t1")
    told["after-down-and-up"] = await guest.ask(1)
    again = Links(node, hub)
    await again.load()
    told["found"] = {name: tap.alias for name, tap in again.taps.items()} | {
        name: bridge.alias for name, bridge in again.bridges.items()
    }
    await again.close()
    responder.forget("t1")
    told["forgotten"] = await guest.ask(1)
    guest.close()
    for _ in range(2):
        await links.remove_tap("t1")
        await links.remove_bridge("blue")
    told["removed"] = _link_names(node), _link_names(hub)
    responder.close()
    await links.close()
    node.remove()
    hub.remove()
    sys.stdout.write(json.dumps(told))


async def _flap(node: Netns, tap: str) -> None:
    for state in ("down", "up"):
        command = ["nsenter", f"--net={node.path}", "ip", "link", "set", tap, state]
        await asyncio.to_thread(subprocess.run, command, check=True)


if __name__ == "__main__":
    asyncio.run(main())
