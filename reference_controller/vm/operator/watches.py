"""Which keys an object wakes: every input that a decision reads is here (B12)."""

from __future__ import annotations

from collections.abc import Iterator

from reference_controller.api import kinds, names, networks
from reference_controller.api.internal import LauncherPod
from reference_controller.api.machines import (
    MachineIPAddress,
    MachineIPLease,
    MachineMACAddress,
    MachineMACLease,
    Operation,
    VirtualMachine,
)
from reference_controller.api.sdn import IPAddress, NetworkObject
from reference_controller.api.view import Object
from reference_controller.runtime.operator import Watch
from reference_controller.runtime.queue import Key
from reference_controller.runtime.store import Store

from .indexes import network_path, path

MACHINE, ADDRESS, ADDRESS_LEASE, MAC, MAC_LEASE = "vm", "vmip", "vmipl", "vmmac", "vmmacl"
"""The sorts of keys: what is reconciled, followed by namespace and name."""


class Wakes:
    """The keys that depend on an object, by kind."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> list[Watch]:
        """All watches of the component."""
        launchers = {names.LAUNCHER_LABEL: names.LAUNCHER_LABEL_VALUE}
        return [
            Watch(kinds.NODE, self.by_node),
            Watch(kinds.VIRTUAL_MACHINE_CLASS, self.by_class),
            Watch(kinds.CLUSTER_VIRTUAL_IMAGE, self.by_image),
            Watch(kinds.NETWORK, self.by_network),
            Watch(kinds.CLUSTER_NETWORK, self.by_network),
            Watch(kinds.IP_ADDRESS, self.by_claim),
            Watch(kinds.VM_IP_ADDRESS_LEASE, self.by_address_lease),
            Watch(kinds.VM_IP_ADDRESS, self.by_address),
            Watch(kinds.VM_MAC_ADDRESS_LEASE, self.by_mac_lease),
            Watch(kinds.VM_MAC_ADDRESS, self.by_mac),
            Watch(kinds.POD, self.by_pod, launchers),
            Watch(kinds.INTERNAL_INSTANCE, self.by_internal),
            Watch(kinds.INTERNAL_VM, self.by_internal),
            Watch(kinds.VM_OPERATION, self.by_operation),
            Watch(kinds.VIRTUAL_MACHINE, self.by_machine),
        ]

    def by_machine(self, vm: VirtualMachine) -> Iterator[Key]:
        """The VM, its address objects, and the VMs that want the same addresses."""
        yield MACHINE, vm.namespace, vm.name
        yield from self._address_objects(vm)
        for entry in networks.additional(vm.spec.networks):
            if entry.ip_address_name:
                yield from self._machines("claim", path(vm.namespace, entry.ip_address_name))

    def by_internal(self, item: Object) -> Iterator[Key]:
        """The VM of the same name."""
        yield MACHINE, item.namespace, item.name

    def by_pod(self, pod: LauncherPod) -> Iterator[Key]:
        """The VM; while it is deleted its last pod also decides about its addresses (B30)."""
        if not pod.machine:
            return
        yield MACHINE, pod.namespace, pod.machine
        vm = self._store.get(kinds.VIRTUAL_MACHINE, VirtualMachine, pod.namespace, pod.machine)
        if vm is not None and vm.metadata.deleting:
            yield from self.by_machine(vm)

    def by_operation(self, operation: Operation) -> Iterator[Key]:
        """The VM that it is about."""
        yield MACHINE, operation.namespace, operation.spec.virtual_machine_name

    def by_network(self, network: NetworkObject) -> Iterator[Key]:
        """The VMs that name it."""
        yield from self._machines("network", network_path(network.namespace, network.key))

    def by_claim(self, claim: IPAddress) -> Iterator[Key]:
        """The VM it was made for, and those that name it."""
        yield from self._machines("claim", path(claim.namespace, claim.name))
        yield from self._owner(claim)

    def by_address(self, claim: MachineIPAddress) -> Iterator[Key]:
        """The object itself, its VMs, and the leases of its addresses."""
        yield ADDRESS, claim.namespace, claim.name
        yield from self._machines("address", path(claim.namespace, claim.name))
        yield from self._owner(claim)
        for address in {claim.status.address, claim.spec.static_ip} - {""}:
            yield ADDRESS_LEASE, "", names.ip_lease_name(address)
        held = self._store.find(
            kinds.VM_IP_ADDRESS_LEASE, MachineIPLease, "claim", path(claim.namespace, claim.name)
        )
        for lease in held:
            yield ADDRESS_LEASE, "", lease.name

    def by_address_lease(self, lease: MachineIPLease) -> Iterator[Key]:
        """The lease, its object, and all that wait for this or any address."""
        yield ADDRESS_LEASE, "", lease.name
        holder = lease.spec.claim
        if holder.name:
            yield ADDRESS, holder.namespace, holder.name
        asked = names.ip_of_lease(lease.name)
        for index, value in (("ip", asked), ("phase", "Pending")):
            for claim in self._store.find(kinds.VM_IP_ADDRESS, MachineIPAddress, index, value):
                yield ADDRESS, claim.namespace, claim.name

    def by_mac(self, mac: MachineMACAddress) -> Iterator[Key]:
        """The object itself, its VMs, and the leases of its addresses."""
        yield MAC, mac.namespace, mac.name
        yield from self._machines("mac", path(mac.namespace, mac.name))
        yield from self._owner(mac)
        for address in {mac.status.address, mac.spec.address} - {""}:
            yield MAC_LEASE, "", names.mac_lease_name(address)
        held = self._store.find(
            kinds.VM_MAC_ADDRESS_LEASE, MachineMACLease, "claim", path(mac.namespace, mac.name)
        )
        for lease in held:
            yield MAC_LEASE, "", lease.name

    def by_mac_lease(self, lease: MachineMACLease) -> Iterator[Key]:
        """The lease, its object, and those that ask for the same address."""
        yield MAC_LEASE, "", lease.name
        yield MAC, lease.spec.claim.namespace, lease.spec.claim.name
        asked = names.mac_of_lease(lease.name)
        for mac in self._store.find(kinds.VM_MAC_ADDRESS, MachineMACAddress, "address", asked):
            yield MAC, mac.namespace, mac.name

    def by_node(self, node: Object) -> Iterator[Key]:
        """The VMs that have a pod there."""
        for pod in self._store.find(kinds.POD, LauncherPod, "node", node.name):
            yield MACHINE, pod.namespace, pod.machine

    def by_class(self, item: Object) -> Iterator[Key]:
        """The VMs of the class."""
        yield from self._machines("class", item.name)

    def by_image(self, item: Object) -> Iterator[Key]:
        """The VMs that name the image."""
        yield from self._machines("image", f"{kinds.CLUSTER_VIRTUAL_IMAGE.kind}/{item.name}")

    def _machines(self, index: str, value: str) -> Iterator[Key]:
        for vm in self._store.find(kinds.VIRTUAL_MACHINE, VirtualMachine, index, value):
            yield MACHINE, vm.namespace, vm.name

    def _owner(self, item: Object) -> Iterator[Key]:
        owner = item.metadata.controller
        if owner is not None and owner.kind == kinds.VIRTUAL_MACHINE.kind:
            yield MACHINE, item.namespace, owner.name

    def _address_objects(self, vm: VirtualMachine) -> Iterator[Key]:
        for name in {vm.spec.ip_address_name, vm.status.ip_address_name} - {""}:
            yield ADDRESS, vm.namespace, name
        for claim in self._store.find(kinds.VM_IP_ADDRESS, MachineIPAddress, "machine", vm.uid):
            yield ADDRESS, claim.namespace, claim.name
        named = {entry.mac_name for entry in vm.spec.networks or ()}
        named |= {entry.mac_name for entry in vm.status.networks}
        for name in named - {""}:
            yield MAC, vm.namespace, name
        for mac in self._store.find(kinds.VM_MAC_ADDRESS, MachineMACAddress, "machine", vm.uid):
            yield MAC, mac.namespace, mac.name
