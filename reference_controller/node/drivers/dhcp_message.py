"""DHCP messages of a server, and the frames around them. Pure.

`pyroute2.dhcp` is the codec; what it drops silently or lacks (RFC 3442 routes) is handled here.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

from pyroute2.dhcp import Policy, option
from pyroute2.dhcp.dhcp4msg import dhcp4msg
from pyroute2.dhcp.enums.bootp import MessageType as Operation
from pyroute2.dhcp.enums.dhcp import MessageType, Option

SERVER_PORT = 67
CLIENT_PORT = 68
ETHERNET = struct.Struct("!6s6sH")
IP_HEADER = struct.Struct("!BBHHHBBH4s4s")
UDP_HEADER = struct.Struct("!4H")
ETHERTYPE_IP = 0x0800
PROTOCOL_UDP = 17
SMALLEST_MESSAGE = 300
"""Bytes; BOOTP relays and some clients drop shorter ones (RFC 1542, 2.1)."""
BROADCAST = IPv4Address("255.255.255.255")
NOWHERE = IPv4Address("0.0.0.0")

Routes = Sequence[tuple[IPv4Network, IPv4Address]]


class NotDhcp(Exception):
    """A frame that is no whole DHCP request of a client."""


@dataclass(frozen=True)
class Query:
    """What a client asks. Addresses that it leaves out are 0.0.0.0."""

    kind: MessageType
    xid: int
    flags: int
    mac: str
    source: str
    current: IPv4Address
    requested: IPv4Address
    server: IPv4Address
    client_id: Any

    @property
    def wanted(self) -> IPv4Address:
        """The address that a REQUEST is about: asked for, or held already (RFC 2131, 4.3.2)."""
        return self.requested if self.requested != NOWHERE else self.current


@dataclass(frozen=True)
class Times:
    """Seconds: how long a lease holds, and when its holder asks again, first the server, then all.

    Renewals are short so that a changed reservation reaches a guest that ignores its carrier; the
    lease is long so that guests keep their addresses while the node agent is away.
    """

    lease: int = 600
    renewal: int = 5
    rebinding: int = 8


@dataclass(frozen=True)
class Offer:
    """The content of an OFFER or ACK."""

    address: IPv4Interface
    gateway: IPv4Address | None
    routes: Routes
    times: Times


def parse(frame: bytes) -> Query:
    """Read an Ethernet frame that arrived at the server's port.

    Raises:
        NotDhcp: it is something else, or torn.
    """
    try:
        _, source, _ = ETHERNET.unpack_from(frame)
        start = ETHERNET.size + (frame[ETHERNET.size] & 15) * 4 + UDP_HEADER.size
        message = _Message(buf=frame[start:]).decode()
        options = message["options"]
        return Query(
            kind=MessageType(options["message_type"]),
            xid=message["xid"],
            flags=message["flags"],
            mac=message["chaddr"],
            source=source.hex(":"),
            current=IPv4Address(message["ciaddr"]),
            requested=IPv4Address(options.get("requested_ip", NOWHERE)),
            server=IPv4Address(options.get("server_id", NOWHERE)),
            client_id=options.get("client_id"),
        )
    except (ValueError, LookupError, TypeError, AssertionError, struct.error) as exc:
        raise NotDhcp(f"{len(frame)} bytes are no DHCP request: {exc}") from exc


def reply(
    query: Query, kind: MessageType, server: IPv4Address, server_mac: str, offer: Offer | None
) -> bytes:
    """The frame that answers `query`; `offer` is None for a NAK."""
    options: dict[str, Any] = {"message_type": kind, "server_id": str(server)}
    if offer is not None:
        options |= _lease_options(offer)
    if query.client_id is not None:
        options["client_id"] = query.client_id
    address = offer.address.ip if offer is not None else NOWHERE
    message = _Message(
        {
            "op": Operation.BOOTREPLY,
            "xid": query.xid,
            "flags": query.flags,
            "ciaddr": str(query.current if kind == MessageType.ACK else NOWHERE),
            "yiaddr": str(address),
            "siaddr": "0.0.0.0",
            "giaddr": "0.0.0.0",
            "chaddr": query.mac,
            "options": options,
        }
    )
    payload = message.encode().buf.ljust(SMALLEST_MESSAGE, b"\0")
    target, hardware = _destination(query, kind, address)
    return _frame(server, target, server_mac, hardware, payload)


def _lease_options(offer: Offer) -> dict[str, Any]:
    options: dict[str, Any] = {
        "subnet_mask": str(offer.address.netmask),
        "lease_time": offer.times.lease,
        "renewal_time": offer.times.renewal,
        "rebinding_time": offer.times.rebinding,
    }
    routes = list(offer.routes)
    if offer.gateway is not None:
        options["router"] = [str(offer.gateway)]
        if routes:
            # A client that understands option 121 must ignore the router option (RFC 3442).
            routes.append((IPv4Network("0.0.0.0/0"), offer.gateway))
    if routes:
        options["classless_static_route"] = routes
    return options


def _destination(query: Query, kind: MessageType, address: IPv4Address) -> tuple[IPv4Address, str]:
    """A client that holds an address may have bound it, and then loses a broadcast NAK."""
    if query.current != NOWHERE:
        return query.current, query.source
    if kind == MessageType.NAK:
        return BROADCAST, "ff:ff:ff:ff:ff:ff"
    return address, query.source


def _frame(
    source: IPv4Address, target: IPv4Address, source_mac: str, target_mac: str, payload: bytes
) -> bytes:
    length = UDP_HEADER.size + len(payload)
    # UDP over IPv4 may go without a checksum.
    udp = UDP_HEADER.pack(SERVER_PORT, CLIENT_PORT, length, 0)
    ip = _ip_header(source, target, length, 0)
    ip = _ip_header(source, target, length, _checksum(ip))
    ethernet = ETHERNET.pack(_octets(target_mac), _octets(source_mac), ETHERTYPE_IP)
    return ethernet + ip + udp + payload


def _ip_header(source: IPv4Address, target: IPv4Address, length: int, checksum: int) -> bytes:
    size = IP_HEADER.size + length
    addresses = source.packed, target.packed
    return IP_HEADER.pack(0x45, 0, size, 0, 0, 64, PROTOCOL_UDP, checksum, *addresses)


def _checksum(header: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _octets(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def _encode_routes(routes: Routes) -> bytes:
    """RFC 3442: prefix length, the octets of the network that matter, the router."""
    coded = b""
    for network, router in routes:
        significant = (network.prefixlen + 7) // 8
        coded += bytes([network.prefixlen]) + network.network_address.packed[:significant]
        coded += router.packed
    return coded


class _Message(dhcp4msg):  # type: ignore[misc]
    """The library's message plus the routes option. (The library has no types.)"""

    options = (*dhcp4msg.options, (Option.CLASSLESS_STATIC_ROUTE, "routes"))

    class routes(option):  # type: ignore[misc]  # noqa: N801 - the codec looks it up by name
        policy = Policy(format="string", encode=_encode_routes, decode=list)
