"""The life of a VirtualMachineIPAddress and its lease (spec 6, D16, D20, D27, VI-01 to VI-06)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

from reference_controller.api import conditions, kinds, names, networks
from reference_controller.api.machines import MachineIPAddress, MachineIPLease, VirtualMachine
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, MergePatch, Plan, Write

from . import binding, deletion, holders, main_addresses
from .binding import Binding
from .world import Neighbour, Settings

REASON = "VirtualMachineIPAddress"
OUT_OF_RANGE = REASON + "IsOutOfTheValidRange"
LEASE = REASON + "Lease"
LEGACY_FINALIZER = "virtualization.deckhouse.io/vmip-protection"


@dataclass(frozen=True)
class AddressWorld:
    """One VirtualMachineIPAddress and what its pass depends on.

    `leases`: those that name it or carry its UID or address, by name. `taken`: the names of all
    leases. `candidates`: the VMs that name or own it.
    """

    now: str
    settings: Settings
    claim: MachineIPAddress | None
    leases: Mapping[str, MachineIPLease] = field(default_factory=dict)
    taken: AbstractSet[str] = frozenset()
    candidates: tuple[Neighbour, ...] = ()


def usable(cidr: IPv4Network) -> Iterator[IPv4Address]:
    """The addresses of a CIDR that a machine may have, lowest first (D16: RFC 3021)."""
    return iter(cidr.hosts())


def in_range(settings: Settings, text: str) -> bool:
    """Whether `text` is an address that a machine may have."""
    try:
        address = IPv4Address(text)
    except ipaddress.AddressValueError:
        return False
    for cidr in settings.cidrs:
        if address in cidr:
            edge = address in (cidr.network_address, cidr.broadcast_address)
            return cidr.prefixlen >= 31 or not edge
    return False


def lowest_free(settings: Settings, taken: AbstractSet[str]) -> str:
    """The first address without a lease, CIDRs in their order (VI-06); empty when there is none."""
    for cidr in settings.cidrs:
        for address in main_addresses.usable(cidr):
            if names.ip_lease_name(str(address)) not in taken:
                return str(address)
    return ""


def reconcile(world: AddressWorld) -> Plan:
    """What to write for one VirtualMachineIPAddress."""
    claim = world.claim
    if claim is None:
        return Plan()
    kind = kinds.VM_IP_ADDRESS
    owner = main_addresses.attached_to(world, claim)
    finalizers = claim.metadata.finalizers
    if claim.metadata.deleting and owner is None:
        ours = (names.VMIP_FINALIZER, LEGACY_FINALIZER)
        if not set(ours) & set(finalizers):
            return Plan()
        return Plan((deletion.without_finalizer(kind, claim, *ours),))
    if LEGACY_FINALIZER in finalizers:
        return Plan((deletion.without_finalizer(kind, claim, LEGACY_FINALIZER),))
    if names.VMIP_FINALIZER not in finalizers and not claim.metadata.deleting:
        return Plan((deletion.with_finalizer(kind, claim, names.VMIP_FINALIZER),))
    hold = main_addresses.bind(world, claim)
    stored: Json = claim.raw.get("status", {})
    wanted = binding.claim_conditions(claim.metadata.generation, hold, owner)
    target: Json = {
        "address": hold.address or None,
        "virtualMachineName": owner.name if owner is not None else None,
        "phase": binding.claim_phase(hold.bound, owner),
        "conditions": conditions.merge(stored.get("conditions") or [], wanted, (), world.now),
        "observedGeneration": claim.metadata.generation,
    }
    # A create may have found a foreign lease, of which no event will tell.
    again = 0.0 if hold.writes else None
    return Plan((*hold.writes, *binding.status_patch(kind, claim, target)), again)


def attached_to(world: AddressWorld, claim: MachineIPAddress) -> VirtualMachine | None:
    """The VM that has the address; it must have Main (B12)."""

    def in_status(vm: VirtualMachine) -> bool:
        named = vm.status.ip_address_name == claim.name
        return named and any(entry.key.main for entry in vm.status.networks)

    def in_spec(vm: VirtualMachine) -> bool:
        return vm.spec.ip_address_name == claim.name and networks.has_main(vm.spec.networks)

    found = holders.holder(claim, world.candidates, in_status, in_spec)
    if found is None or in_status(found) or in_spec(found):
        return found
    # Only its owner: one that asks for another address, or for no Main, does not use it.
    asks = not found.spec.ip_address_name and networks.has_main(found.spec.networks)
    return found if asks else None


def bind(world: AddressWorld, claim: MachineIPAddress) -> Binding:
    """Find, take over or make the lease; an address once assigned never changes."""
    static = claim.spec.static_ip if claim.spec.type == "Static" else ""
    known = claim.status.address
    asked = static or known
    if not asked:
        own = [name for name, lease in sorted(world.leases.items()) if _is_ours(claim, lease)]
        asked = names.ip_of_lease(own[0]) if own else ""
    lease = world.leases.get(names.ip_lease_name(asked)) if asked else None
    if lease is not None:
        return main_addresses.with_lease(claim, lease, asked)
    if known and known == asked:
        return Binding(known, LEASE + "Lost", f"the lease of {known} is gone")
    if claim.metadata.deleting:
        return Binding(known, LEASE + "NotFound", "the object is being deleted")
    if static and not main_addresses.in_range(world.settings, static):
        ranges = ", ".join(map(str, world.settings.cidrs)) or "no range"
        return Binding("", OUT_OF_RANGE, f"{static} is not a usable address of {ranges}")
    address = static or main_addresses.lowest_free(world.settings, world.taken)
    if not address:
        return Binding("", LEASE + "NotReady", "no address is free in the configured ranges")
    create = main_addresses.lease_of(claim, address)
    return Binding("", LEASE + "NotReady", f"the lease of {address} is being made", (create,))


def with_lease(claim: MachineIPAddress, lease: MachineIPLease, address: str) -> Binding:
    """The binding where the asked address has a lease, ours or not."""
    known = claim.status.address if claim.status.address == address else ""
    holder = lease.spec.claim
    if _is_ours(claim, lease):
        if lease.status.phase not in binding.HELD:
            return Binding(known, LEASE + "NotReady", f"the lease of {address} is not ready yet")
        return Binding(names.ip_of_lease(lease.name), "Bound")
    if holder.namespace != claim.namespace:
        text = f"{address} is held by namespace {holder.namespace!r}"
        return Binding(known, LEASE + "NotReady", text)
    released = not holder.name and names.VMIP_UID_LABEL not in lease.metadata.labels
    if not released:
        text = f"{address} is held by VirtualMachineIPAddress {holder.name!r}"
        return Binding(known, LEASE + "NotReady", text)
    if lease.metadata.deleting or claim.metadata.deleting:
        return Binding(known, LEASE + "NotReady", f"the lease of {address} is being deleted")
    return Binding(
        known,
        LEASE + "NotReady",
        f"the released lease of {address} is being taken over",
        (main_addresses.take_over(claim, lease),),
    )


def take_over(claim: MachineIPAddress, lease: MachineIPLease) -> Write:
    """The write that makes a Released lease of the same namespace ours (D27)."""
    body: Json = {
        "metadata": {"labels": {names.VMIP_UID_LABEL: claim.uid}},
        "spec": {"virtualMachineIPAddressRef": {"name": claim.name, "namespace": claim.namespace}},
    }
    version = lease.metadata.resource_version
    return MergePatch(kinds.VM_IP_ADDRESS_LEASE, "", lease.name, body, resource_version=version)


def lease_of(claim: MachineIPAddress, address: str) -> Create:
    """The write that takes `address` for `claim`."""
    return Create(
        kinds.VM_IP_ADDRESS_LEASE,
        {
            "metadata": {
                "name": names.ip_lease_name(address),
                "labels": {names.VMIP_UID_LABEL: claim.uid},
                "finalizers": [names.VMIP_LEASE_FINALIZER],
            },
            "spec": {
                "virtualMachineIPAddressRef": {"name": claim.name, "namespace": claim.namespace}
            },
        },
    )


def _is_ours(claim: MachineIPAddress, lease: MachineIPLease) -> bool:
    """Whether the lease is for this very object, not for a former one of its name (B27)."""
    held = lease.spec.claim
    label = lease.metadata.labels.get(names.VMIP_UID_LABEL, "")
    return (held.namespace, held.name) == (claim.namespace, claim.name) and label in ("", claim.uid)
