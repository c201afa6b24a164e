"""The life of a VirtualMachineIPAddressLease: bound, released, kept a while, gone (spec 6)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_controller.api import conditions, kinds, names
from reference_controller.api.machines import MachineIPAddress, MachineIPLease
from reference_controller.api.view import Json
from reference_controller.api.writes import Delete, MergePatch, Plan, Write

from . import binding, deletion, main_leases
from .world import Settings, seconds_between

KIND = kinds.VM_IP_ADDRESS_LEASE


@dataclass(frozen=True)
class LeaseWorld:
    """One lease and the VirtualMachineIPAddress that it names."""

    now: str
    settings: Settings
    lease: MachineIPLease | None
    claim: MachineIPAddress | None = None


def reconcile(world: LeaseWorld) -> Plan:
    """What to write for one lease."""
    lease = world.lease
    if lease is None:
        return Plan()
    claim = world.claim
    if claim is not None and main_leases.in_use(claim, lease):
        if lease.metadata.labels.get(names.VMIP_UID_LABEL) != claim.uid:
            return Plan((_patch(lease, {names.VMIP_UID_LABEL: claim.uid}),))
        return Plan(main_leases.report(world, lease, bound=True))
    if lease.spec.claim.name or names.VMIP_UID_LABEL in lease.metadata.labels:
        return Plan((main_leases.released(lease),))
    if lease.metadata.deleting:
        if names.VMIP_LEASE_FINALIZER not in lease.metadata.finalizers:
            return Plan()
        return Plan((deletion.without_finalizer(KIND, lease, names.VMIP_LEASE_FINALIZER),))
    if writes := main_leases.report(world, lease, bound=False):
        return Plan(writes)
    remaining = main_leases.retention_left(world, lease)
    if remaining > 0:
        return Plan(again_after=remaining)
    return Plan((Delete(KIND, "", lease.name, lease.uid),))


def in_use(claim: MachineIPAddress, lease: MachineIPLease) -> bool:
    """Whether the object that the lease names is the one it was made for, and has its address."""
    label = lease.metadata.labels.get(names.VMIP_UID_LABEL, "")
    if label not in ("", claim.uid):
        return False
    address = names.ip_of_lease(lease.name)
    return claim.status.address in ("", address) or claim.spec.static_ip == address


def retention_left(world: LeaseWorld, lease: MachineIPLease) -> float:
    """Seconds for which the address is still kept; the boundary instant counts as over (D20)."""
    bound = conditions.find(lease.status.conditions, "Bound")
    since = bound.last_transition_time if bound is not None else world.now
    return world.settings.retention - seconds_between(since, world.now)


def released(lease: MachineIPLease) -> Write:
    """The write that empties the reference and keeps the namespace, which alone may reclaim."""
    return _patch(
        lease,
        {names.VMIP_UID_LABEL: None},
        {"virtualMachineIPAddressRef": {"name": "", "namespace": lease.spec.claim.namespace}},
    )


def report(world: LeaseWorld, lease: MachineIPLease, *, bound: bool) -> tuple[Write, ...]:
    """The status write, or none."""
    generation = lease.metadata.generation
    if bound:
        wanted = conditions.wanted("Bound", "True", "Bound", "", generation)
    else:
        message = "no VirtualMachineIPAddress holds the address; its namespace may reclaim it"
        wanted = conditions.wanted("Bound", "False", "Released", message, generation)
    stored: Json = lease.raw.get("status", {})
    target: Json = {
        "phase": "Bound" if bound else "Released",
        "conditions": conditions.merge(stored.get("conditions") or [], [wanted], (), world.now),
    }
    return binding.status_patch(KIND, lease, target)


def _patch(lease: MachineIPLease, labels: Json, spec: Json | None = None) -> MergePatch:
    body: Json = {"metadata": {"labels": labels}}
    if spec is not None:
        body["spec"] = spec
    version = lease.metadata.resource_version
    return MergePatch(KIND, "", lease.name, body, resource_version=version)
