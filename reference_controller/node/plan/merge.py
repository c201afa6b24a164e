"""The addresses of one NIC: those that are known stay, the guest's words are added (spec 7.3, D21).

What the platform gave to a NIC is a fact. A guest agent that reports less, nothing, or something
else never takes it away (AS-01 to AS-06).
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface

Address = IPv4Address | IPv6Address


def addresses(
    known: Iterable[Address], reported: Iterable[IPv4Interface | IPv6Interface]
) -> tuple[str, ...]:
    """The list to show for a NIC.

    Args:
        known: addresses that the platform gave, in their order.
        reported: what the guest says, all entries with the NIC's MAC together.

    Returns:
        known ones first, IPv4 before IPv6; then further ones, IPv4 before IPv6, link-local last.
    """
    first = sorted(known, key=lambda address: address.version)
    further = sorted({entry.ip for entry in reported} - set(first), key=_rank)
    return tuple(str(address) for address in (*first, *further))


def _rank(address: Address) -> tuple[bool, int, int]:
    return address.is_link_local, address.version, int(address)
