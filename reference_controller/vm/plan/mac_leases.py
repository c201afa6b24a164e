"""The life of a VirtualMachineMACAddressLease: it ends with its object, at once (spec 4.7)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_controller.api import conditions, kinds, names
from reference_controller.api.machines import MachineMACAddress, MachineMACLease
from reference_controller.api.view import Json
from reference_controller.api.writes import Delete, Plan

from . import binding, deletion, mac_addresses


@dataclass(frozen=True)
class LeaseWorld:
    """One lease and the object that it names."""

    now: str
    lease: MachineMACLease | None
    mac: MachineMACAddress | None = None


def reconcile(world: LeaseWorld) -> Plan:
    """What to write for one lease; it ends with its object, at once (spec 4.7)."""
    lease = world.lease
    if lease is None:
        return Plan()
    kind = kinds.VM_MAC_ADDRESS_LEASE
    mac = world.mac
    if mac is None or not mac_addresses.is_ours(mac, lease) or _elsewhere(mac, lease):
        if not lease.metadata.deleting:
            return Plan((Delete(kind, "", lease.name, lease.uid),))
        if names.VMMAC_LEASE_FINALIZER not in lease.metadata.finalizers:
            return Plan()
        return Plan((deletion.without_finalizer(kind, lease, names.VMMAC_LEASE_FINALIZER),))
    generation = lease.metadata.generation
    stored: Json = lease.raw.get("status", {})
    wanted = [conditions.wanted("Bound", "True", "Bound", "", generation)]
    merged = conditions.merge(stored.get("conditions") or [], wanted, (), world.now)
    target: Json = {"phase": "Bound", "conditions": merged}
    return Plan(binding.status_patch(kind, lease, target))


def _elsewhere(mac: MachineMACAddress, lease: MachineMACLease) -> bool:
    """Whether the object has settled on another address than this lease's."""
    address = names.normal_mac(mac.status.address)
    return bool(address) and address != names.mac_of_lease(lease.name)
