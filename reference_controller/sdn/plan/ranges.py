"""Which addresses a pool has (spec 1.5): exact at the edges, lazy over large networks."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from reference_controller.api.sdn import AddressPool, PoolRange, PoolRoute


class MalformedPool(ValueError):
    """A pool's specification cannot be read; the text says which part and why."""


@dataclass(frozen=True)
class Segment:
    """One network of a pool with the closed intervals of addresses that may be given out."""

    network: IPv4Network
    intervals: tuple[tuple[IPv4Address, IPv4Address], ...]
    routes: tuple[PoolRoute, ...] = ()

    def __contains__(self, address: IPv4Address) -> bool:
        return any(first <= address <= last for first, last in self.intervals)

    def addresses(self) -> Iterator[IPv4Address]:
        """The addresses, ascending."""
        for first, last in self.intervals:
            for number in range(int(first), int(last) + 1):
                yield IPv4Address(number)


def segments(pool: AddressPool) -> tuple[Segment, ...]:
    """The segments of a pool in the order of its specification.

    Raises:
        MalformedPool: a network or a range cannot be read.
    """
    return tuple(_segment(pool.name, item) for item in pool.spec.pools)


def usable(network: IPv4Network) -> tuple[IPv4Address, IPv4Address]:
    """First and last address without network and broadcast; all of a /31 and a /32 (RFC 3021)."""
    first, last = network.network_address, network.broadcast_address
    return (first, last) if network.prefixlen >= 31 else (first + 1, last - 1)


def _segment(pool: str, item: PoolRange) -> Segment:
    try:
        network = IPv4Network(item.network)
        lowest, highest = usable(network)
        if not item.ranges:
            return Segment(network, ((lowest, highest),), item.routes)
        intervals = sorted(_interval(text) for text in item.ranges)
    except ipaddress.AddressValueError as error:
        raise MalformedPool(f"pool {pool}: {error}") from error
    except ValueError as error:
        raise MalformedPool(f"pool {pool}, network {item.network!r}: {error}") from error
    clipped = tuple(
        (max(first, lowest), min(last, highest))
        for first, last in intervals
        if first <= highest and last >= lowest
    )
    return Segment(network, clipped, item.routes)


def _interval(text: str) -> tuple[IPv4Address, IPv4Address]:
    first, _, last = (part.strip() for part in text.partition("-"))
    start, end = IPv4Address(first), IPv4Address(last or first)
    if end < start:
        raise ValueError(f"the range {text!r} ends before it starts")
    return start, end
