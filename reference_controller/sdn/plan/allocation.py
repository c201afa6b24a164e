"""One pool: which claim gets which address, and when an address is free again (spec 5, D31).

The whole pool is decided at once, in the order of the claims' age, so that two claims of one
instant cannot get one address, and a claim that cannot be served never holds up another.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address

from reference_controller.api.sdn import AddressPool, IPAddress, IPAddressLease
from reference_controller.api.writes import Plan, Write

from . import claims, leases, ranges
from .ranges import Segment


@dataclass(frozen=True)
class World:
    """One pool and all that asks for, holds or uses its addresses.

    Attributes:
        pool: None when it is gone.
        claims: the IPAddresses of every network that names the pool.
        leases: the leases of this pool.
        in_use: addresses that an active launcher pod's networks-status shows, with the claim
            that they were asked by, `(namespace, name)`.
        pods: names of the pods that use a claim, by `(namespace, name)` of the claim.
        now: the present time, UTC.
    """

    pool: AddressPool
    claims: tuple[IPAddress, ...]
    leases: tuple[IPAddressLease, ...]
    in_use: frozenset[tuple[str, str, str]]
    pods: Mapping[tuple[str, str], tuple[str, ...]]
    now: datetime.datetime


def decide(world: World) -> Plan:
    """Leases and claim statuses of the pool."""
    try:
        segments = ranges.segments(world.pool)
    except ranges.MalformedPool as error:
        # Held addresses stay held: a pool edit never takes one from its holder (IA-15).
        return Plan(tuple(_explain_all(world, "MalformedPool", str(error))))
    writes: list[Write] = []
    held = {leases.address(lease): lease for lease in world.leases}
    order = sorted(world.claims, key=lambda claim: (claim.metadata.creation_timestamp, claim.uid))
    served: dict[str, IPv4Address] = {}
    waiting: list[IPAddress] = []
    for claim in order:
        lease = holding(claim, world.leases)
        if claim.metadata.deleting or lease is None:
            waiting.append(claim)
            continue
        served[lease.name] = leases.address(lease)
        writes += leases.take_over(lease, claim)
        writes += _report(world, claim, segments, leases.address(lease))
    for claim in waiting:
        if not claim.metadata.deleting:
            writes += _serve(world, claim, segments, held)
    idle = [lease for lease in world.leases if lease.name not in served]
    again = _release(world, idle, writes)
    return Plan(tuple(writes), again)


def holding(claim: IPAddress, known: tuple[IPAddressLease, ...]) -> IPAddressLease | None:
    """The lease that serves `claim`: its own, or one left by a claim of the same name."""
    mine = [lease for lease in known if leases.claimed_by(lease, claim)]
    if claim.spec.type == "Static":
        mine = [lease for lease in mine if lease.spec.ip == claim.spec.static.ip]
    current = [lease for lease in mine if lease.spec.ip == claim.status.address]
    return next(iter(current or mine), None)


def choose(
    claim: IPAddress, segments: tuple[Segment, ...], held: Mapping[IPv4Address, IPAddressLease]
) -> IPv4Address | claims.Refusal:
    """The address for a claim that holds none: the one it names, else the lowest free one."""
    if claim.spec.type != "Static":
        free = (ip for segment in segments for ip in segment.addresses() if ip not in held)
        return next(free, None) or claims.Refusal(
            "NoFreeIPAddress", "the pool has no free address left"
        )
    try:
        wanted = IPv4Address(claim.spec.static.ip)
    except AddressValueError as error:
        return claims.Refusal("InvalidAddress", f"spec.static.ip: {error}")
    if not any(wanted in segment for segment in segments):
        return claims.Refusal("AddressOutOfRange", f"{wanted} is not an address of the pool")
    lease = held.get(wanted)
    if lease is not None:
        owner = f"{lease.spec.claim.namespace}/{lease.spec.claim.name}"
        state = "held back after its use by" if lease.status.orphaning_timestamp else "held by"
        return claims.Refusal("AddressInUse", f"{wanted} is {state} IPAddress {owner}")
    return wanted


def _serve(
    world: World,
    claim: IPAddress,
    segments: tuple[Segment, ...],
    held: dict[IPv4Address, IPAddressLease],
) -> list[Write]:
    chosen = choose(claim, segments, held)
    if isinstance(chosen, claims.Refusal):
        patch = claims.pending(claim, chosen, claims.stamp(world.now))
        return [patch] if patch else []
    # The status follows in the next pass, from the lease as the API server has it: a create that
    # finds its name taken must not make two claims believe in one address.
    create = leases.create(world.pool, claim, chosen)
    held[chosen] = IPAddressLease.parse(create.body)
    return [create]


def _report(
    world: World, claim: IPAddress, segments: tuple[Segment, ...], ip: IPv4Address
) -> list[Write]:
    segment = next((segment for segment in segments if ip in segment.network), None)
    pods = world.pods.get((claim.namespace, claim.name), ())
    patch = claims.allocated(claim, ip, segment, pods, claims.stamp(world.now))
    return [patch] if patch else []


def _release(world: World, idle: list[IPAddressLease], writes: list[Write]) -> float | None:
    """Orphan what nobody claims or uses, end what was orphaned long enough."""
    again: float | None = None
    for lease in idle:
        user = lease.spec.claim
        if (user.namespace, user.name, lease.spec.ip) in world.in_use:
            continue
        if not lease.status.orphaning_timestamp:
            writes.append(leases.orphan(lease, world.now))
            continue
        seconds = leases.remaining(lease, world.now)
        if seconds <= 0:
            writes.append(leases.delete(lease))
        else:
            again = seconds if again is None else min(again, seconds)
    return again


def _explain_all(world: World, reason: str, message: str) -> list[Write]:
    refusal = claims.Refusal(reason, message)
    return [
        patch
        for claim in world.claims
        if not claim.allocated
        and (patch := claims.pending(claim, refusal, claims.stamp(world.now)))
    ]
