"""What the probes share: a node with one network, guests cloned into it, SSH to them."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from io import StringIO
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

import paramiko
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from reference_controller.node.drivers import template as templates
from reference_controller.node.drivers.dhcp import Reservation, Responder
from reference_controller.node.drivers.identity import Identity, machine_id
from reference_controller.node.drivers.links import Links
from reference_controller.node.drivers.machine import Boot, Nic
from reference_controller.node.drivers.netns import Netns
from reference_controller.node.drivers.qemu import GuestProcess
from reference_controller.node.drivers.template import Template

BRIDGE = "blue"
SERVER = IPv4Address("10.9.0.1")
PATIENCE = 60.0
PAUSE = 0.05


def fresh_key() -> str:
    """An ed25519 key as OpenSSH keeps it."""
    return (
        Ed25519PrivateKey.generate()
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.OpenSSH,
            serialization.NoEncryption(),
        )
        .decode()
    )


def public_line(key: str) -> str:
    """The public part of a key, as authorized_keys has it."""
    loaded = paramiko.Ed25519Key.from_private_key(StringIO(key))
    return f"{loaded.get_name()} {loaded.get_base64()}"


@dataclass
class Site:
    """A node and the hub, the network `blue`, and the guests in it."""

    node: Netns
    hub: Netns
    links: Links
    responder: Responder
    template: Template
    run: Path
    user_key: str = field(default_factory=fresh_key)
    host_key: str = field(default_factory=fresh_key)

    async def clone(self, name: str, *, netns: bool = True) -> GuestProcess:
        """A guest of that name, without NICs."""
        identity = Identity(
            name, machine_id(name), f"{public_line(self.user_key)}\n", self.host_key
        )
        where = self.node.path if netns else None
        return await templates.clone(self.template, self.run / name, identity, netns=where)

    async def nic(self, nic_id: int, host: int) -> Nic:
        """A NIC whose tap is on the network, whose address is 10.9.0.<host>."""
        nic = Nic(nic_id, f"t{nic_id}x{host}", f"52:54:00:00:{nic_id:02x}:{host:02x}")
        await self.links.add_tap(nic.tap, BRIDGE, nic.tap)
        await self.serve(nic, host)
        return nic

    async def serve(self, nic: Nic, host: int) -> None:
        """Give the NIC the address 10.9.0.<host> from now on."""
        address = IPv4Interface(f"10.9.0.{host}/24")
        await self.responder.serve(nic.tap, Reservation(nic.mac, address, SERVER))

    async def ssh(self, host: str, command: str) -> str:
        """What a command says in the guest that answers at `host` with the right host key."""
        return await self.hub.run(self._ssh, host, command)

    def _ssh(self, host: str, command: str) -> str:
        with socket.create_connection((host, 22), timeout=20) as connection:
            transport = paramiko.Transport(connection)
            try:
                expected = paramiko.Ed25519Key.from_private_key(StringIO(self.host_key))
                user = paramiko.Ed25519Key.from_private_key(StringIO(self.user_key))
                transport.connect(hostkey=expected, username="root", pkey=user)
                channel = transport.open_session()
                channel.exec_command(command)
                return channel.makefile().read().decode().strip()
            finally:
                transport.close()


async def leased(guest: GuestProcess, name: str, host: int) -> float:
    """Wait until the guest's agent reports 10.9.0.<host> on NIC `name`; seconds that took."""
    begun = time.monotonic()
    wanted = IPv4Interface(f"10.9.0.{host}/24")
    async with asyncio.timeout(PATIENCE):
        while True:
            for nic in await guest.agent.interfaces():
                if nic.name == name and wanted in (nic.addresses or ()):
                    return time.monotonic() - begun
            await asyncio.sleep(PAUSE)  # noqa: TID251


def speak_ipv6() -> None:
    """Let bridges of the hub have link-local addresses, as the rig's hub does."""
    for scope in ("all", "default"):
        Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6").write_text("0")


def own_address() -> None:
    """Give the hub's end of the network an address."""
    subprocess.run(["ip", "address", "add", f"{SERVER}/24", "dev", BRIDGE], check=True)


@asynccontextmanager
async def site() -> AsyncIterator[Site]:
    """The site for the image named on the command line: template, kernel, initrd."""
    folder, kernel, initrd = map(Path, sys.argv[1:4])
    async with AsyncExitStack() as stack:
        node, hub = await Netns.create("node"), await Netns.create("hub")
        await hub.run(speak_ipv6)
        links, responder = Links(node, hub), Responder(node)
        stack.push_async_callback(links.close)
        stack.callback(responder.close)
        await links.load()
        await links.add_bridge(BRIDGE, BRIDGE)
        await hub.run(own_address)
        template = Template.load(folder, Boot(kernel, initrd))
        yield Site(node, hub, links, responder, template, Path("/run/guests"))
