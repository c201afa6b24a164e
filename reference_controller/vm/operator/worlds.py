"""Builds from the store the worlds that the plans decide on; costs no request."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from reference_controller.api import kinds, names
from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.kinds import Kind
from reference_controller.api.machines import (
    MachineIPAddress,
    MachineIPLease,
    MachineMACAddress,
    MachineMACLease,
    Operation,
    VirtualMachine,
)
from reference_controller.api.networks import NetworkKey
from reference_controller.api.sdn import IPAddress, NetworkObject
from reference_controller.api.view import Object
from reference_controller.runtime.store import Store
from reference_controller.vm.plan import comparator, mac_leases, main_leases
from reference_controller.vm.plan.mac_addresses import MacWorld
from reference_controller.vm.plan.main_addresses import AddressWorld
from reference_controller.vm.plan.world import Neighbour, Settings, World

from .indexes import IMAGE_KINDS, image_names, path

V = TypeVar("V", bound=Object)


@dataclass(frozen=True)
class Worlds:
    """Gathers from `store`, under `settings`."""

    store: Store
    settings: Settings

    def machine(self, namespace: str, name: str, now: str) -> World:
        """The world of one VM, which need not exist."""
        store = self.store
        vm = store.get(kinds.VIRTUAL_MACHINE, VirtualMachine, namespace, name)
        internal = store.get(kinds.INTERNAL_VM, InternalVM, namespace, name)
        pods = self._pods(namespace, name)
        operations = store.find(kinds.VM_OPERATION, Operation, "machine", path(namespace, name))
        world = World(
            namespace,
            name,
            now,
            self.settings,
            machine=vm,
            internal=internal,
            instance=store.get(kinds.INTERNAL_INSTANCE, Instance, namespace, name),
            pods=tuple(pods),
            operations=tuple(operations),
        )
        return world if vm is None else self._with_belongings(world, vm)

    def address(self, namespace: str, name: str, now: str) -> AddressWorld:
        """The world of one VirtualMachineIPAddress."""
        store, kind = self.store, kinds.VM_IP_ADDRESS_LEASE
        claim = store.get(kinds.VM_IP_ADDRESS, MachineIPAddress, namespace, name)
        if claim is None:
            return AddressWorld(now, self.settings, None)
        leases = [
            *store.find(kind, MachineIPLease, "claim", path(namespace, name)),
            *store.find(kind, MachineIPLease, "uid", claim.uid),
        ]
        for address in (claim.status.address, claim.spec.static_ip):
            lease = store.get(kind, MachineIPLease, "", names.ip_lease_name(address))
            leases += [lease] if lease is not None else []
        settled = claim.status.address or claim.spec.static_ip
        taken = frozenset[str]() if settled else self._names(kind)
        found = {lease.name: lease for lease in leases}
        candidates = self._candidates("address", claim)
        return AddressWorld(now, self.settings, claim, found, taken, candidates)

    def address_lease(self, name: str, now: str) -> main_leases.LeaseWorld:
        """The world of one VirtualMachineIPAddressLease."""
        lease = self.store.get(kinds.VM_IP_ADDRESS_LEASE, MachineIPLease, "", name)
        claim = None
        if lease is not None:
            held = lease.spec.claim
            claim = self.store.get(kinds.VM_IP_ADDRESS, MachineIPAddress, held.namespace, held.name)
        return main_leases.LeaseWorld(now, self.settings, lease, claim)

    def mac(self, namespace: str, name: str, now: str) -> MacWorld:
        """The world of one VirtualMachineMACAddress."""
        store, kind = self.store, kinds.VM_MAC_ADDRESS_LEASE
        mac = store.get(kinds.VM_MAC_ADDRESS, MachineMACAddress, namespace, name)
        if mac is None:
            return MacWorld(now, self.settings, None)
        leases = [
            *store.find(kind, MachineMACLease, "claim", path(namespace, name)),
            *store.find(kind, MachineMACLease, "uid", mac.uid),
        ]
        for address in (mac.status.address, mac.spec.address):
            lease = store.get(kind, MachineMACLease, "", names.mac_lease_name(address))
            leases += [lease] if lease is not None else []
        settled = mac.status.address or mac.spec.address
        taken = frozenset[str]() if settled else self._names(kind)
        found = {lease.name: lease for lease in leases}
        return MacWorld(now, self.settings, mac, found, taken, self._candidates("mac", mac))

    def mac_lease(self, name: str, now: str) -> mac_leases.LeaseWorld:
        """The world of one VirtualMachineMACAddressLease."""
        lease = self.store.get(kinds.VM_MAC_ADDRESS_LEASE, MachineMACLease, "", name)
        mac = None
        if lease is not None:
            held = lease.spec.claim
            mac = self.store.get(kinds.VM_MAC_ADDRESS, MachineMACAddress, held.namespace, held.name)
        return mac_leases.LeaseWorld(now, lease, mac)

    def network(self, namespace: str, key: NetworkKey) -> NetworkObject | None:
        """The network that an entry of a VM in `namespace` names."""
        if key.type == "ClusterNetwork":
            return self.store.get(kinds.CLUSTER_NETWORK, NetworkObject, "", key.name)
        return self.store.get(kinds.NETWORK, NetworkObject, namespace, key.name)

    def _with_belongings(self, world: World, vm: VirtualMachine) -> World:
        applied = comparator.last_applied(world.internal) or {}
        entries = [*(vm.spec.networks or ()), *(comparator.entries(applied) or ())]
        keys = {entry.key for entry in entries} | {entry.key for entry in vm.status.networks}
        found = {key: self.network(vm.namespace, key) for key in sorted(keys) if not key.main}
        mac_names = {entry.mac_name for entry in entries}
        mac_names |= {entry.mac_name for entry in vm.status.networks}
        claim_names = {entry.ip_address_name for entry in entries}
        address_names = {
            vm.spec.ip_address_name,
            vm.status.ip_address_name,
            str(applied.get("virtualMachineIPAddressName") or ""),
        }
        return dataclasses.replace(
            world,
            addresses=self._owned(kinds.VM_IP_ADDRESS, MachineIPAddress, vm, address_names),
            macs=self._owned(kinds.VM_MAC_ADDRESS, MachineMACAddress, vm, mac_names),
            claims=self._owned(kinds.IP_ADDRESS, IPAddress, vm, claim_names),
            networks={key: item for key, item in found.items() if item is not None},
            neighbours=self._rivals(vm, claim_names),
            class_exists=self._exists(kinds.VIRTUAL_MACHINE_CLASS, vm.spec.class_name),
            missing_images=self._missing_images(vm),
            tap_nodes=self._tap_nodes(world.pods),
        )

    def _owned(
        self, kind: Kind, view: type[V], vm: VirtualMachine, named: Iterable[str]
    ) -> dict[str, V]:
        """What the VM names, and what carries its UID; by name, in order."""
        found = {item.name: item for item in self.store.find(kind, view, "machine", vm.uid)}
        for name in named:
            item = self.store.get(kind, view, vm.namespace, name)
            if item is not None:
                found[name] = item
        return {
            name: item for name, item in sorted(found.items()) if item.namespace == vm.namespace
        }

    def _rivals(self, vm: VirtualMachine, claim_names: Iterable[str]) -> tuple[Neighbour, ...]:
        found: dict[str, VirtualMachine] = {}
        for name in claim_names:
            if name:
                others = self._machines("claim", path(vm.namespace, name))
                found |= {other.name: other for other in others if other.uid != vm.uid}
        return tuple(self._neighbour(other) for _, other in sorted(found.items()))

    def _candidates(self, index: str, claim: Object) -> tuple[Neighbour, ...]:
        """The VMs that name the claim in spec or status, and its owner."""
        found = {vm.uid: vm for vm in self._machines(index, path(claim.namespace, claim.name))}
        owner = claim.metadata.controller
        for vm in self._machines("uid", owner.uid) if owner is not None else ():
            if vm.namespace == claim.namespace:
                found[vm.uid] = vm
        return tuple(self._neighbour(vm) for _, vm in sorted(found.items()))

    def _machines(self, index: str, value: str) -> list[VirtualMachine]:
        return self.store.find(kinds.VIRTUAL_MACHINE, VirtualMachine, index, value)

    def _neighbour(self, vm: VirtualMachine) -> Neighbour:
        return Neighbour(vm, pods=bool(self._pods(vm.namespace, vm.name)))

    def _pods(self, namespace: str, name: str) -> list[LauncherPod]:
        return self.store.find(kinds.POD, LauncherPod, "machine", path(namespace, name))

    def _exists(self, kind: Kind, name: str) -> bool:
        return self.store.get(kind, Object, "", name) is not None

    def _missing_images(self, vm: VirtualMachine) -> tuple[str, ...]:
        return tuple(
            f"{kind}/{name}"
            for kind, name in image_names(vm)
            if kind in IMAGE_KINDS and not self._exists(IMAGE_KINDS[kind], name)
        )

    def _tap_nodes(self, pods: Iterable[LauncherPod]) -> dict[str, bool]:
        found = {}
        for node in {pod.spec.node_name for pod in pods}:
            item = self.store.get(kinds.NODE, Object, "", node)
            if item is not None:
                found[node] = names.TAP_BY_DVP in item.metadata.annotations
        return found

    def _names(self, kind: Kind) -> frozenset[str]:
        return frozenset(name for _, name in self.store.identities(kind))
