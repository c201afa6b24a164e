"""Addresses of additional networks: automatic and static IPAddresses (spec 5, D5, D13, D19).

Whether a network may be given to SDN, with which address, and if not, why not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference_controller.api import conditions, kinds, names, networks
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.networks import NetworkEntry, NetworkKey
from reference_controller.api.sdn import IPAddress
from reference_controller.api.writes import Create, owner_reference

from . import claims
from .world import Neighbour, World

NO_FREE_ADDRESS = "NoFreeIPAddress"


@dataclass(frozen=True)
class Provision:
    """Whether a network's interface can be asked of SDN as far as addresses go (spec 5.3).

    `names`: the IPAddress to ask for, empty for a network without addresses. `problem`: why it
    cannot be asked, empty when it can.
    """

    key: NetworkKey
    names: tuple[str, ...] = ()
    problem: str = ""
    create: Create | None = None


def decide(world: World, entries: Sequence[NetworkEntry]) -> dict[NetworkKey, Provision]:
    """The provision of each additional network of `entries` that exists."""
    decisions = {}
    for entry in networks.additional(entries):
        network = world.networks.get(entry.key)
        if network is None:
            # Nothing is known of its pool; what the VM has stays as it is (B48).
            decisions[entry.key] = Provision(entry.key, problem=f"{entry.key}: not found")
        elif network.pooled:
            rule = claims.static if entry.ip_address_name else claims.automatic
            decisions[entry.key] = rule(world, entry)
        elif entry.ip_address_name:
            problem = (
                f"{entry.key}: ipAddressName {entry.ip_address_name!r} is given, "
                "but the network has no address pool"
            )
            decisions[entry.key] = Provision(entry.key, problem=problem)
        else:
            decisions[entry.key] = Provision(entry.key)
    return decisions


def automatic(world: World, entry: NetworkEntry) -> Provision:
    """An address from the pool, by the VM's own IPAddress (spec 5.2, D18)."""
    key = entry.key
    claim = claims.own(world, key)
    if claim is None:
        problem = f"{key}: IPAddress is not created yet"
        name = names.derived_name(world.name, world.vm.uid, key.type, key.name)
        taken = name in world.claims
        return Provision(key, problem=problem, create=None if taken else creation(world, key, name))
    if not claim.allocated:
        return Provision(key, problem=f"{key}: {_unallocated(claim)}")
    return Provision(key, (claim.name,))


def own(world: World, key: NetworkKey) -> IPAddress | None:
    """The VM's own IPAddress for a network: made for it, and not on its way out (D19)."""
    mine = [
        claim
        for claim in world.claims.values()
        if is_own(world.vm, claim)
        and claim.network == key
        and not claim.metadata.deleting
        and claim.spec.type == "Auto"
    ]
    return min(mine, key=lambda claim: claim.name, default=None)


def is_own(machine: VirtualMachine, claim: IPAddress) -> bool:
    """Whether the controller made `claim` for this very VM (never a user's object, D12)."""
    owner = claim.metadata.controller
    return owner is not None and owner.uid == machine.uid


def static(world: World, entry: NetworkEntry) -> Provision:
    """The IPAddress that the entry names (spec 5.3, 5.4, D5, D13)."""
    key, name = entry.key, entry.ip_address_name
    claim = world.claims.get(name)
    if claim is None or claim.metadata.deleting:
        return Provision(key, problem=f"{key}: IPAddress {name!r} is not found (phase unknown)")
    if claim.network != key:
        problem = f"{key}: IPAddress {name!r} belongs to {claim.network}"
        return Provision(key, problem=problem)
    owner = claim.metadata.controller
    if owner is not None:
        problem = f"{key}: IPAddress {name!r} is the automatic address of VM {owner.name!r}"
        return Provision(key, problem=problem)
    if not claim.allocated:
        return Provision(key, problem=f"{key}: {_unallocated(claim)}")
    holder = claims.holder(world, key, claim)
    if holder is not None:
        problem = f"{key}: IPAddress {name!r} is used by VM {holder.name!r}"
        return Provision(key, problem=problem)
    return Provision(key, (name,))


def holder(world: World, key: NetworkKey, claim: IPAddress) -> VirtualMachine | None:
    """The other VM that has the static address, or None when it is this one's (D5, IS-09)."""
    rivals = [
        neighbour
        for neighbour in world.neighbours
        if not neighbour.holds_nothing and _names(neighbour.machine, key, claim.name)
    ]
    if not rivals:
        return None
    mine = Neighbour(world.vm, pods=bool(world.pods))
    holding = [rival for rival in (mine, *rivals) if _shows(rival.machine, key, claim)]
    first = min(holding or [mine, *rivals], key=lambda rival: rival.seniority)
    return None if first is mine else first.machine


def _names(machine: VirtualMachine, key: NetworkKey, name: str) -> bool:
    return any(
        entry.key == key and entry.ip_address_name == name
        for entry in networks.additional(machine.spec.networks)
    )


def _shows(machine: VirtualMachine, key: NetworkKey, claim: IPAddress) -> bool:
    address = claim.status.address
    return bool(address) and any(
        entry.key == key and entry.ip_address == address for entry in machine.status.networks
    )


def _unallocated(claim: IPAddress) -> str:
    """Phase and cause of a claim that has no address."""
    phase = claim.status.phase or "unknown"
    allocated = conditions.find(claim.status.conditions, "Allocated")
    if allocated is not None and allocated.reason == NO_FREE_ADDRESS:
        cause = f"the pool is exhausted ({NO_FREE_ADDRESS})"
    elif allocated is not None and allocated.reason:
        cause = f"not allocated ({allocated.reason})"
    else:
        cause = "not allocated yet"
    return f"IPAddress {claim.name!r} is in phase {phase}: {cause}"


def creation(world: World, key: NetworkKey, name: str) -> Create:
    """The write that makes the VM's own IPAddress for a network."""
    return Create(
        kinds.IP_ADDRESS,
        {
            "metadata": {
                "name": name,
                "namespace": world.namespace,
                "labels": {names.VM_UID_LABEL: world.vm.uid},
                "ownerReferences": [owner_reference(world.vm, kinds.VIRTUAL_MACHINE)],
            },
            "spec": {"networkRef": {"kind": key.type, "name": key.name}, "type": "Auto"},
        },
    )
