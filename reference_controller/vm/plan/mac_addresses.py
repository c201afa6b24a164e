"""The life of a VirtualMachineMACAddress and its lease (spec 1.2, 2.8, 4.7, MC-01, MC-05).

The lease is the cluster-wide hold: its name is the address, so two cannot have one. Generated
addresses are derived from the object's UID, so a pass that is repeated tries the same again.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from reference_controller.api import conditions, kinds, names
from reference_controller.api.machines import MachineMACAddress, MachineMACLease, VirtualMachine
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, Plan, Write

from . import binding, deletion, holders, mac_addresses
from .binding import Binding
from .world import Neighbour, Settings

REASON = "VirtualMachineMACAddressLease"
LOCAL_DIGITS = "26ae"


@dataclass(frozen=True)
class MacWorld:
    """One VirtualMachineMACAddress and what its pass depends on.

    `leases`: those that name it or carry its UID or address, by name. `taken`: the names of all
    leases. `candidates`: the VMs that name or own it.
    """

    now: str
    settings: Settings
    mac: MachineMACAddress | None
    leases: Mapping[str, MachineMACLease] = field(default_factory=dict)
    taken: AbstractSet[str] = frozenset()
    candidates: tuple[Neighbour, ...] = ()


def oui(cluster: str) -> str:
    """The first three octets of the cluster's addresses, from its UUID (spec 1.2).

    Raises:
        ValueError: `cluster` is not a UUID.
    """
    digits = str(uuid.UUID(cluster)).replace("-", "")
    starts = (start for start in range(0, 32, 2) if digits[start + 1] in LOCAL_DIGITS)
    start = next(starts, None)
    six = (
        (digits + digits)[start : start + 6] if start is not None else digits[0] + "2" + digits[2:6]
    )
    return ":".join(six[place : place + 2] for place in range(0, 6, 2))


def generated(prefix: str, uid: str, taken: AbstractSet[str]) -> str:
    """The first free address of those that belong to an object's UID."""
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{uid}/{attempt}".encode()).hexdigest()
        address = ":".join((prefix, digest[0:2], digest[2:4], digest[4:6]))
        if names.mac_lease_name(address) not in taken:
            return address
        attempt += 1


def reconcile(world: MacWorld) -> Plan:
    """What to write for one VirtualMachineMACAddress."""
    mac = world.mac
    if mac is None:
        return Plan()
    owner = mac_addresses.attached_to(world, mac)
    kept = names.VMMAC_FINALIZER in mac.metadata.finalizers
    if mac.metadata.deleting and owner is None:
        if not kept:
            return Plan()
        step = deletion.without_finalizer(kinds.VM_MAC_ADDRESS, mac, names.VMMAC_FINALIZER)
        return Plan((step,))
    if not kept and not mac.metadata.deleting:
        step = deletion.with_finalizer(kinds.VM_MAC_ADDRESS, mac, names.VMMAC_FINALIZER)
        return Plan((step,))
    hold = mac_addresses.bind(world, mac)
    if hold.writes:
        # The report follows from what the create finds: perhaps a foreign lease, of which no
        # event will tell.
        return Plan(hold.writes, again_after=0.0)
    return Plan(mac_addresses.report(world, mac, hold, owner))


def attached_to(world: MacWorld, mac: MachineMACAddress) -> VirtualMachine | None:
    """The VM that has the address."""
    return holders.holder(
        mac,
        world.candidates,
        lambda vm: any(entry.mac_name == mac.name for entry in vm.status.networks),
        lambda vm: any(entry.mac_name == mac.name for entry in vm.spec.networks or ()),
    )


def bind(world: MacWorld, mac: MachineMACAddress) -> Binding:
    """Find or make the lease."""
    asked = names.normal_mac(mac.spec.address or mac.status.address)
    if not asked:
        own = [name for name, lease in sorted(world.leases.items()) if is_ours(mac, lease)]
        if own:
            asked = names.mac_of_lease(own[0])
    lease = world.leases.get(names.mac_lease_name(asked)) if asked else None
    known = names.normal_mac(mac.status.address)
    if lease is not None:
        if not is_ours(mac, lease):
            holder = lease.spec.claim
            text = f"{asked} is held by {holder.namespace}/{holder.name}"
            return Binding(known, REASON + ("Lost" if known else "AlreadyExists"), text)
        if lease.status.phase not in binding.HELD:
            return Binding(known, REASON + "NotReady", f"the lease of {asked} is not ready yet")
        return Binding(names.mac_of_lease(lease.name), "Bound")
    if known:
        return Binding(known, REASON + "Lost", f"the lease of {known} is gone")
    if mac.metadata.deleting:
        return Binding("", REASON + "NotFound", "the object is being deleted")
    asked = asked or mac_addresses.generated(world.settings.oui, mac.uid, world.taken)
    create = mac_addresses.lease_of(mac, asked)
    return Binding("", REASON + "NotReady", f"the lease of {asked} is being made", (create,))


def report(
    world: MacWorld, mac: MachineMACAddress, hold: Binding, owner: VirtualMachine | None
) -> tuple[Write, ...]:
    """The status write, or none."""
    wanted = binding.claim_conditions(mac.metadata.generation, hold, owner)
    stored: Json = mac.raw.get("status", {})
    target: Json = {
        "address": hold.address or None,
        "virtualMachineName": owner.name if owner is not None else None,
        "phase": binding.claim_phase(hold.bound, owner),
        "conditions": conditions.merge(stored.get("conditions") or [], wanted, (), world.now),
        "observedGeneration": mac.metadata.generation,
    }
    return binding.status_patch(kinds.VM_MAC_ADDRESS, mac, target)


def lease_of(mac: MachineMACAddress, address: str) -> Create:
    """The write that takes `address` for `mac`."""
    return Create(
        kinds.VM_MAC_ADDRESS_LEASE,
        {
            "metadata": {
                "name": names.mac_lease_name(address),
                "labels": {names.VMMAC_UID_LABEL: mac.uid},
                "finalizers": [names.VMMAC_LEASE_FINALIZER],
            },
            "spec": {"virtualMachineMACAddressRef": {"name": mac.name, "namespace": mac.namespace}},
        },
    )


def is_ours(mac: MachineMACAddress, lease: MachineMACLease) -> bool:
    """Whether the lease is for this very object, not for a former one of its name (B27)."""
    claim = lease.spec.claim
    label = lease.metadata.labels.get(names.VMMAC_UID_LABEL, "")
    return (claim.namespace, claim.name) == (mac.namespace, mac.name) and label in ("", mac.uid)
