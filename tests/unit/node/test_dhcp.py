"""Whom the responder answers, how, and what the frames say."""

import struct
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroute2.dhcp.dhcp4msg import dhcp4msg
from pyroute2.dhcp.enums.dhcp import MessageType

from reference_controller.node.drivers import dhcp, dhcp_message
from reference_controller.node.drivers.dhcp import Reservation
from reference_controller.node.drivers.dhcp_message import NotDhcp, Offer, Query, Times

MAC = "02:00:00:00:00:05"
SERVER = IPv4Address("10.66.0.1")
OWN = IPv4Interface("10.66.10.5/16")
RESERVED = Reservation(MAC, OWN, SERVER, gateway=SERVER)
BROADCAST = "ff:ff:ff:ff:ff:ff"


def request(kind: int, mac: str = MAC, ciaddr: str = "0.0.0.0", **options: Any) -> bytes:
    message = dhcp4msg(
        {
            "op": 1,
            "xid": 0x1234,
            "flags": 0,
            "ciaddr": ciaddr,
            "yiaddr": "0.0.0.0",
            "siaddr": "0.0.0.0",
            "giaddr": "0.0.0.0",
            "chaddr": mac,
            "options": {"message_type": kind, **options},
        }
    )
    payload: bytes = message.encode().buf
    udp = struct.pack("!4H", 68, 67, 8 + len(payload), 0) + payload
    header = struct.pack("!BBHHHBBH8x", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
    return bytes.fromhex(f"ffffffffffff{mac}0800".replace(":", "")) + header + udp


def answered(frame: bytes, reservation: Reservation = RESERVED) -> MessageType | None:
    return dhcp.answer(dhcp_message.parse(frame), reservation)


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (request(1), MessageType.OFFER),
        (request(3, requested_ip="10.66.10.5", server_id="10.66.0.1"), MessageType.ACK),
        (request(3, requested_ip="10.66.10.6", server_id="10.66.0.1"), MessageType.NAK),
        (request(3, requested_ip="10.66.10.5", server_id="9.9.9.9"), None),
        (request(3, requested_ip="10.66.10.6"), MessageType.NAK),
        (request(3, ciaddr="10.66.10.5"), MessageType.ACK),
        (request(3, ciaddr="10.66.10.9"), MessageType.NAK),
        (request(1, mac="02:00:00:00:00:06"), None),
        (request(4, requested_ip="10.66.10.5"), None),
        (request(7, ciaddr="10.66.10.5"), None),
    ],
    ids=["discover", "selecting", "selecting-wrong", "selecting-another-server", "rebooting-wrong",
         "renewing", "renewing-wrong", "another-mac", "decline", "release"],
)  # fmt: skip
def test_only_the_reserved_address_is_given_and_only_to_its_nic(
    frame: bytes, kind: MessageType | None
) -> None:
    assert answered(frame) == kind


def reply(query: Query, kind: MessageType, **changes: Any) -> tuple[str, str, dict[str, Any]]:
    """Target MAC and address, and the message of a reply."""
    offer = Offer(OWN, changes.get("gateway"), changes.get("routes", ()), Times(600, 5, 8))
    given_offer = None if kind == MessageType.NAK else offer
    frame = dhcp_message.reply(query, kind, SERVER, "fe:00:00:00:00:01", given_offer)
    assert _sum(frame[14:34]) == 0xFFFF
    message = dict(dhcp4msg(buf=frame[42:]).decode())
    return frame[:6].hex(":"), str(IPv4Address(frame[30:34])), message


def test_an_offer_has_everything_that_a_guest_needs() -> None:
    query = dhcp_message.parse(request(1, client_id={"type": 255, "key": b"\1\2"}))
    mac, address, message = reply(query, MessageType.OFFER, gateway=SERVER)
    assert (mac, address, message["yiaddr"]) == (MAC, "10.66.10.5", "10.66.10.5")
    assert (message["xid"], message["chaddr"]) == (0x1234, MAC)
    assert message["options"] == {
        "message_type": MessageType.OFFER,
        "server_id": "10.66.0.1",
        "subnet_mask": "255.255.0.0",
        "lease_time": 600,
        "renewal_time": 5,
        "rebinding_time": 8,
        "router": ["10.66.0.1"],
        "client_id": {"type": 255, "key": b"\1\2"},
    }


def test_an_additional_network_gives_no_default_route() -> None:
    _, _, message = reply(dhcp_message.parse(request(1)), MessageType.OFFER)
    assert not {"router", "classless_static_route"} & message["options"].keys()


def test_routes_are_coded_as_rfc_3442_says_and_take_the_gateway_in() -> None:
    routes = [(IPv4Network("10.9.0.0/20"), IPv4Address("10.66.0.9"))]
    query = dhcp_message.parse(request(1))
    _, _, alone = reply(query, MessageType.OFFER, routes=routes)
    coded = [20, 10, 9, 0, 10, 66, 0, 9]
    assert alone["options"]["classless_static_route"] == coded
    _, _, both = reply(query, MessageType.OFFER, routes=routes, gateway=SERVER)
    assert both["options"]["classless_static_route"] == [*coded, 0, 10, 66, 0, 1]


def test_a_refusal_reaches_a_client_that_has_bound_its_address() -> None:
    renewing = dhcp_message.parse(request(3, ciaddr="10.66.10.9"))
    mac, address, message = reply(renewing, MessageType.NAK)
    assert (mac, address, message["yiaddr"]) == (MAC, "10.66.10.9", "0.0.0.0")
    rebooting = dhcp_message.parse(request(3, requested_ip="10.66.10.9"))
    assert reply(rebooting, MessageType.NAK)[:2] == (BROADCAST, "255.255.255.255")


@given(st.binary(max_size=400), st.integers(0, 400))
def test_torn_or_foreign_frames_are_recognised(noise: bytes, cut: int) -> None:
    for frame in (noise, request(1)[:cut], request(3)[:282] + noise):
        with suppress(NotDhcp):
            dhcp_message.parse(frame)


def _sum(header: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(header) // 2}H", header))
    return (total & 0xFFFF) + (total >> 16)
