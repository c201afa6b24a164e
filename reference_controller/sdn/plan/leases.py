"""Leases: the authority on who holds an address of a pool, and for how long (spec 5.6, D31)."""

from __future__ import annotations

import datetime
import re
from ipaddress import IPv4Address

from reference_controller.api import kinds, names
from reference_controller.api.sdn import AddressPool, IPAddress, IPAddressLease
from reference_controller.api.writes import Create, Delete, MergePatch

POOL_LABEL = "plumbline.internal/pool"

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DEFAULT_TTL = datetime.timedelta(hours=1)


def ttl_of(text: str) -> datetime.timedelta:
    """A Go duration such as `1h` or `1m30s`; the default when `text` is empty or unreadable."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return DEFAULT_TTL
    return datetime.timedelta(seconds=sum(float(n) * _UNITS[unit] for n, unit in parts))


def pool_key(pool: AddressPool) -> str:
    """A label value that tells one pool from every other, of either kind and any namespace."""
    return names.derived_name("p", pool.kind, pool.namespace, pool.name)


def address(lease: IPAddressLease) -> IPv4Address:
    """The address that is held."""
    return IPv4Address(lease.spec.ip)


def claimed_by(lease: IPAddressLease, claim: IPAddress) -> bool:
    """Whether the lease was made for this claim, or for one of its name before (D31)."""
    holder = lease.spec.claim
    return (holder.namespace, holder.name) == (claim.namespace, claim.name)


def create(pool: AddressPool, claim: IPAddress, ip: IPv4Address) -> Create:
    """A lease of `ip`; its name follows pool and address, so nobody can lease it twice."""
    key = pool_key(pool)
    return Create(
        kinds.IP_ADDRESS_LEASE,
        {
            "metadata": {
                "name": f"{names.ip_lease_name(str(ip))}-{key}",
                "labels": {POOL_LABEL: key},
            },
            "spec": {
                "ip": str(ip),
                "ttl": pool.spec.lease_ttl or "1h",
                "ipAddressRef": _holder(claim),
            },
        },
    )


def take_over(lease: IPAddressLease, claim: IPAddress) -> list[MergePatch]:
    """Bind a lease to the claim that uses it now, and end its orphanhood."""
    patches: list[MergePatch] = []
    if lease.spec.claim.uid != claim.uid:
        body = {"spec": {"ipAddressRef": _holder(claim)}}
        patches.append(MergePatch(kinds.IP_ADDRESS_LEASE, "", lease.name, body))
    if lease.status.orphaning_timestamp:
        patches.append(_orphaned(lease, None))
    return patches


def orphan(lease: IPAddressLease, now: datetime.datetime) -> MergePatch:
    """Start the retention of an address that nobody uses any more."""
    return _orphaned(lease, now.isoformat())


def remaining(lease: IPAddressLease, now: datetime.datetime) -> float:
    """Seconds until an orphaned lease ends; 0 or less means that it is over."""
    since = datetime.datetime.fromisoformat(lease.status.orphaning_timestamp)
    return (since + ttl_of(lease.spec.ttl) - now).total_seconds()


def delete(lease: IPAddressLease) -> Delete:
    """Give the address back to the pool."""
    return Delete(kinds.IP_ADDRESS_LEASE, "", lease.name, lease.uid)


def _orphaned(lease: IPAddressLease, since: str | None) -> MergePatch:
    body = {"status": {"orphaningTimestamp": since}}
    return MergePatch(kinds.IP_ADDRESS_LEASE, "", lease.name, body, status=True)


def _holder(claim: IPAddress) -> dict[str, str]:
    return {"namespace": claim.namespace, "name": claim.name, "uid": claim.uid}
