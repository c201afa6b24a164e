"""Which kinds are watched, and by what their objects are found (B67: work per affected VM)."""

from __future__ import annotations

from collections.abc import Iterator

from reference_controller.api import kinds, names, networks
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
from reference_controller.runtime.store import Index, Store

VIEWS: dict[Kind, type[Object]] = {
    kinds.VIRTUAL_MACHINE: VirtualMachine,
    kinds.INTERNAL_VM: InternalVM,
    kinds.INTERNAL_INSTANCE: Instance,
    kinds.POD: LauncherPod,
    kinds.VM_IP_ADDRESS: MachineIPAddress,
    kinds.VM_IP_ADDRESS_LEASE: MachineIPLease,
    kinds.VM_MAC_ADDRESS: MachineMACAddress,
    kinds.VM_MAC_ADDRESS_LEASE: MachineMACLease,
    kinds.VM_OPERATION: Operation,
    kinds.NETWORK: NetworkObject,
    kinds.CLUSTER_NETWORK: NetworkObject,
    kinds.IP_ADDRESS: IPAddress,
    kinds.VIRTUAL_MACHINE_CLASS: Object,
    kinds.CLUSTER_VIRTUAL_IMAGE: Object,
    kinds.NODE: Object,
}

IMAGE_KINDS = {"ClusterVirtualImage": kinds.CLUSTER_VIRTUAL_IMAGE}
"""Block devices whose existence is checked; others are trusted to the parts that serve them."""


def path(namespace: str, name: str) -> str:
    """One text for an object of a namespace."""
    return f"{namespace}/{name}"


def network_path(namespace: str, key: NetworkKey) -> str:
    """One text for a network as seen from a namespace."""
    return f"{key.type}/{'' if key.type == 'ClusterNetwork' else namespace}/{key.name}"


def store() -> Store:
    """An empty store with all views and indexes."""
    return Store(
        VIEWS,
        [
            Index(kinds.VIRTUAL_MACHINE, "uid", lambda vm: [vm.uid]),
            Index(kinds.VIRTUAL_MACHINE, "network", _networks),
            Index(kinds.VIRTUAL_MACHINE, "claim", _claims),
            Index(kinds.VIRTUAL_MACHINE, "mac", _macs),
            Index(kinds.VIRTUAL_MACHINE, "address", _addresses),
            Index(kinds.VIRTUAL_MACHINE, "class", lambda vm: [vm.spec.class_name]),
            Index(kinds.VIRTUAL_MACHINE, "image", _images),
            Index(kinds.POD, "machine", lambda pod: [path(pod.namespace, pod.machine)]),
            Index(kinds.POD, "node", lambda pod: [pod.spec.node_name]),
            Index(kinds.VM_OPERATION, "machine", _target),
            Index(kinds.VM_IP_ADDRESS, "machine", _machine_uid),
            Index(kinds.VM_IP_ADDRESS, "ip", _asked_ips),
            Index(kinds.VM_IP_ADDRESS, "phase", lambda claim: [claim.status.phase or "Pending"]),
            Index(kinds.VM_MAC_ADDRESS, "machine", _machine_uid),
            Index(kinds.VM_MAC_ADDRESS, "address", _asked_macs),
            Index(kinds.IP_ADDRESS, "machine", _machine_uid),
            Index(kinds.VM_IP_ADDRESS_LEASE, "claim", _leased),
            Index(kinds.VM_IP_ADDRESS_LEASE, "uid", _label(names.VMIP_UID_LABEL)),
            Index(kinds.VM_MAC_ADDRESS_LEASE, "claim", _leased),
            Index(kinds.VM_MAC_ADDRESS_LEASE, "uid", _label(names.VMMAC_UID_LABEL)),
        ],
    )


def image_names(vm: VirtualMachine) -> Iterator[tuple[str, str]]:
    """Kind and name of each block device that the VM names."""
    for reference in vm.raw.get("spec", {}).get("blockDeviceRefs") or ():
        yield str(reference.get("kind", "")), str(reference.get("name", ""))


def _networks(vm: VirtualMachine) -> set[str]:
    keys = {entry.key for entry in networks.additional(vm.spec.networks)}
    keys |= {entry.key for entry in vm.status.networks if not entry.key.main}
    return {network_path(vm.namespace, key) for key in keys}


def _claims(vm: VirtualMachine) -> set[str]:
    entries = networks.additional(vm.spec.networks)
    return {path(vm.namespace, entry.ip_address_name) for entry in entries if entry.ip_address_name}


def _macs(vm: VirtualMachine) -> set[str]:
    found = {entry.mac_name for entry in vm.spec.networks or ()}
    found |= {entry.mac_name for entry in vm.status.networks}
    return {path(vm.namespace, name) for name in found if name}


def _addresses(vm: VirtualMachine) -> set[str]:
    found = {vm.spec.ip_address_name, vm.status.ip_address_name}
    return {path(vm.namespace, name) for name in found if name}


def _images(vm: VirtualMachine) -> set[str]:
    return {f"{kind}/{name}" for kind, name in image_names(vm)}


def _target(operation: Operation) -> list[str]:
    return [path(operation.namespace, operation.spec.virtual_machine_name)]


def _machine_uid(item: Object) -> list[str]:
    return [uid] if (uid := item.metadata.labels.get(names.VM_UID_LABEL)) else []


def _asked_ips(claim: MachineIPAddress) -> set[str]:
    return {text for text in (claim.status.address, claim.spec.static_ip) if text}


def _asked_macs(mac: MachineMACAddress) -> set[str]:
    found = (mac.status.address, mac.spec.address)
    return {names.normal_mac(text) for text in found if text}


def _leased(lease: MachineIPLease | MachineMACLease) -> list[str]:
    return [path(lease.spec.claim.namespace, lease.spec.claim.name)]


class _label:  # noqa: N801 - used like a function, and needs no name of its own
    """The value of one label, for an index."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, item: Object) -> list[str]:
        value = item.metadata.labels.get(self._key)
        return [value] if value else []
