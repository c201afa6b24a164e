"""The kinds that the platform's parts exchange (spec sections 1, 7.1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One resource of the API server. `group` is empty for the core group."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """The value of an object's apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


VIRTUALIZATION = "virtualization.deckhouse.io"
INTERNAL = "internal.virtualization.deckhouse.io"
SDN = "network.deckhouse.io"

VIRTUAL_MACHINE = Kind(VIRTUALIZATION, "v1alpha2", "virtualmachines", "VirtualMachine")
VIRTUAL_MACHINE_CLASS = Kind(
    VIRTUALIZATION, "v1alpha2", "virtualmachineclasses", "VirtualMachineClass", namespaced=False
)
CLUSTER_VIRTUAL_IMAGE = Kind(
    VIRTUALIZATION, "v1alpha2", "clustervirtualimages", "ClusterVirtualImage", namespaced=False
)
VM_IP_ADDRESS = Kind(
    VIRTUALIZATION, "v1alpha2", "virtualmachineipaddresses", "VirtualMachineIPAddress"
)
VM_IP_ADDRESS_LEASE = Kind(
    VIRTUALIZATION,
    "v1alpha2",
    "virtualmachineipaddressleases",
    "VirtualMachineIPAddressLease",
    namespaced=False,
)
VM_MAC_ADDRESS = Kind(
    VIRTUALIZATION, "v1alpha2", "virtualmachinemacaddresses", "VirtualMachineMACAddress"
)
VM_MAC_ADDRESS_LEASE = Kind(
    VIRTUALIZATION,
    "v1alpha2",
    "virtualmachinemacaddressleases",
    "VirtualMachineMACAddressLease",
    namespaced=False,
)
VM_OPERATION = Kind(
    VIRTUALIZATION, "v1alpha2", "virtualmachineoperations", "VirtualMachineOperation"
)

INTERNAL_VM = Kind(
    INTERNAL,
    "v1",
    "internalvirtualizationvirtualmachines",
    "InternalVirtualizationVirtualMachine",
)
INTERNAL_INSTANCE = Kind(
    INTERNAL,
    "v1",
    "internalvirtualizationvirtualmachineinstances",
    "InternalVirtualizationVirtualMachineInstance",
)

NETWORK = Kind(SDN, "v1alpha1", "networks", "Network")
CLUSTER_NETWORK = Kind(SDN, "v1alpha1", "clusternetworks", "ClusterNetwork", namespaced=False)
IP_ADDRESS = Kind(SDN, "v1alpha1", "ipaddresses", "IPAddress")
IP_ADDRESS_LEASE = Kind(SDN, "v1alpha1", "ipaddressleases", "IPAddressLease", namespaced=False)
IP_ADDRESS_POOL = Kind(SDN, "v1alpha1", "ipaddresspools", "IPAddressPool")
CLUSTER_IP_ADDRESS_POOL = Kind(
    SDN, "v1alpha1", "clusteripaddresspools", "ClusterIPAddressPool", namespaced=False
)
NETWORK_ATTACHMENT = Kind(
    SDN,
    "v1alpha1",
    "nodenetworkinterfaceattachments",
    "NodeNetworkInterfaceAttachment",
    namespaced=False,
)

POD = Kind("", "v1", "pods", "Pod")
NODE = Kind("", "v1", "nodes", "Node", namespaced=False)
EVENT = Kind("", "v1", "events", "Event")
LEASE = Kind("coordination.k8s.io", "v1", "leases", "Lease")
