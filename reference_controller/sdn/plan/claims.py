"""The status of an IPAddress: phase, address, condition Allocated (spec 1.5, 5.5)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from ipaddress import IPv4Address

from reference_controller.api import conditions, kinds
from reference_controller.api.sdn import IPAddress
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, difference

from .ranges import Segment

ALLOCATED = "Allocated"


@dataclass(frozen=True)
class Refusal:
    """Why a claim has no address: a reason in CamelCase and a sentence."""

    reason: str
    message: str


def stamp(now: datetime.datetime) -> str:
    """The time of a condition."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def pending(claim: IPAddress, refusal: Refusal, now: str) -> MergePatch | None:
    """The claim waits; an address it holds already is not taken away."""
    if claim.allocated:
        return None
    condition = conditions.wanted(
        ALLOCATED, "False", refusal.reason, refusal.message, claim.metadata.generation
    )
    return _patch(claim, {"phase": "Pending"}, condition, now)


def allocated(
    claim: IPAddress, ip: IPv4Address, segment: Segment | None, pods: tuple[str, ...], now: str
) -> MergePatch | None:
    """The claim holds `ip`. Without a segment (the pool was edited) network and routes stay."""
    target: Json = {
        "phase": "Allocated",
        "address": str(ip),
        "usedByPods": [{"name": pod} for pod in pods],
    }
    if segment is not None:
        target["network"] = str(segment.network)
        target["routes"] = [route.model_dump(by_alias=True) for route in segment.routes]
    condition = conditions.wanted(
        ALLOCATED, "True", "IPAddressAllocated", "", claim.metadata.generation
    )
    return _patch(claim, target, condition, now)


def _patch(
    claim: IPAddress, target: Json, condition: conditions.Condition, now: str
) -> MergePatch | None:
    stored = claim.raw.get("status") or {}
    target["conditions"] = conditions.merge(
        stored.get("conditions") or [], [condition], [ALLOCATED], now
    )
    changes = difference(stored, target)
    if not changes:
        return None
    return MergePatch(
        kinds.IP_ADDRESS,
        claim.namespace,
        claim.name,
        {"status": changes},
        status=True,
        resource_version=claim.metadata.resource_version,
    )
