"""DHCP for the guests of one node: one raw socket per tap, reservations that change at run time.

A socket at the tap sees its own guest's frames only, before the bridge does, so neither another
guest nor another node's responder can be asked by mistake. There are no leases to lose: the table
of reservations is everything, and a request for any other address is refused.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

import structlog
from pyroute2.dhcp.dhcp4socket import listen_udp_port
from pyroute2.dhcp.enums.dhcp import MessageType

from reference_controller.node.drivers import dhcp_message
from reference_controller.node.drivers.dhcp_message import NOWHERE, NotDhcp, Offer, Query, Times
from reference_controller.node.drivers.netns import Netns

log = structlog.get_logger()

ETH_P_ALL = 3
"""A bridge takes a port's frames before handlers of single protocols see them."""
SO_ATTACH_FILTER = 26
SOL_PACKET = 263
PACKET_IGNORE_OUTGOING = 23
FRAME_LIMIT = 2048


@dataclass(frozen=True)
class Reservation:
    """What the guest NIC `mac` gets. `server` names the responder in its answers."""

    mac: str
    address: IPv4Interface
    server: IPv4Address
    gateway: IPv4Address | None = None
    routes: tuple[tuple[IPv4Network, IPv4Address], ...] = ()


def answer(query: Query, reservation: Reservation) -> MessageType | None:
    """How to answer a client, or None to keep silent (RFC 2131, 4.3)."""
    if query.mac != reservation.mac:
        return None
    if query.kind == MessageType.DISCOVER:
        return MessageType.OFFER
    if query.kind == MessageType.REQUEST and query.server in (NOWHERE, reservation.server):
        own = query.wanted == reservation.address.ip
        return MessageType.ACK if own else MessageType.NAK
    return None


class Responder:
    """Serves the taps of one node's namespace."""

    def __init__(self, netns: Netns, times: Times | None = None) -> None:
        self._netns = netns
        self._times = times or Times()
        self._sockets: dict[str, socket.socket] = {}
        self._table: dict[str, Reservation] = {}

    @property
    def reservations(self) -> Mapping[str, Reservation]:
        """What is served now, by tap."""
        return self._table

    async def serve(self, tap: str, reservation: Reservation) -> None:
        """Serve `reservation` at `tap` from now on, in place of an earlier one.

        Raises:
            OSError: there is no such tap.
        """
        self._table[tap] = reservation
        if tap not in self._sockets:
            opened = await self._netns.run(_open, tap)
            self._sockets[tap] = opened
            asyncio.get_running_loop().add_reader(opened, self._readable, tap)

    def forget(self, tap: str) -> None:
        """Serve nothing at `tap` any more."""
        self._table.pop(tap, None)
        opened = self._sockets.pop(tap, None)
        if opened is not None:
            asyncio.get_running_loop().remove_reader(opened)
            opened.close()

    def close(self) -> None:
        """Stop serving."""
        for tap in list(self._sockets):
            self.forget(tap)

    def _readable(self, tap: str) -> None:
        opened, reservation = self._sockets[tap], self._table[tap]
        try:
            frame = opened.recv(FRAME_LIMIT)
            query = dhcp_message.parse(frame)
        except BlockingIOError:
            return
        except OSError as exc:
            # ENETDOWN: told once, when somebody takes the tap down; it may come up again.
            if exc.errno != errno.ENETDOWN:
                log.warning("tap cannot be served", tap=tap, error=str(exc))
                self.forget(tap)
            return
        except NotDhcp as exc:
            log.info("frame ignored", tap=tap, error=str(exc))
            return
        kind = answer(query, reservation)
        if kind is not None:
            self._reply(tap, query, reservation, kind)

    def _reply(self, tap: str, query: Query, reservation: Reservation, kind: MessageType) -> None:
        offer = None
        if kind != MessageType.NAK:
            routes = reservation.routes
            offer = Offer(reservation.address, reservation.gateway, routes, self._times)
        opened = self._sockets[tap]
        own = opened.getsockname()[4].hex(":")
        frame = dhcp_message.reply(query, kind, reservation.server, own, offer)
        # A tap without a listener takes nothing; the client asks again.
        with suppress(OSError):
            opened.send(frame)
        log.info(
            "dhcp",
            answer=kind.name,
            mac=query.mac,
            address=str(reservation.address),
            asked=str(query.wanted),
            tap=tap,
        )


def _open(tap: str) -> socket.socket:
    """A raw socket at `tap` that sees DHCP requests only."""
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    try:
        opened.setblocking(False)
        code = b"".join(struct.pack("HBBI", *line) for line in _filter())
        buffer = ctypes.create_string_buffer(code)
        program = struct.pack("HL", len(code) // 8, ctypes.addressof(buffer))
        opened.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
        opened.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        opened.bind((tap, ETH_P_ALL))
    except BaseException:
        opened.close()
        raise
    return opened


def _filter() -> list[tuple[int, int, int, int]]:
    lines = listen_udp_port(dhcp_message.SERVER_PORT)
    return [(code, yes, no, value & 0xFFFFFFFF) for code, yes, no, value in lines]
