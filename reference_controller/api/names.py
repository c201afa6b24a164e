"""Labels, annotations, finalizers and derived names (spec sections 1.2, 4.1, 4.2; seam)."""

from __future__ import annotations

import hashlib
import re

VM_UID_LABEL = "virtualization.deckhouse.io/virtual-machine-uid"
VMIP_UID_LABEL = "virtualization.deckhouse.io/virtual-machine-ip-address-uid"
VMMAC_UID_LABEL = "virtualization.deckhouse.io/virtual-machine-mac-address-uid"

VM_FINALIZER = "virtualization.deckhouse.io/vm-cleanup"
VMIP_FINALIZER = "virtualization.deckhouse.io/vmip-cleanup"
VMIP_LEASE_FINALIZER = "virtualization.deckhouse.io/vmipl-cleanup"
VMMAC_FINALIZER = "virtualization.deckhouse.io/vmmac-cleanup"
VMMAC_LEASE_FINALIZER = "virtualization.deckhouse.io/vmmacl-cleanup"
POD_FINALIZER = "virtualization.deckhouse.io/pod-protection"

LAST_APPLIED_SPEC = "internal.virtualization.deckhouse.io/vm.last-applied-spec"
RESTART_REQUESTED = "virtualization.deckhouse.io/vm-restart-requested"
START_REQUESTED = "virtualization.deckhouse.io/vm-start-requested"

NETWORKS_SPEC = "network.deckhouse.io/networks-spec"
NETWORKS_STATUS = "network.deckhouse.io/networks-status"
TAP_BY_DVP = "network.deckhouse.io/tap-provision-by-dvp-supported"
POD_ADDRESS = "cni.cilium.io/ipAddress"
ALLOW_POD_BRIDGE_MIGRATION = "kubevirt.io/allow-pod-bridge-network-live-migration"

LAUNCHER_LABEL = "kubevirt.internal.virtualization.deckhouse.io"
LAUNCHER_LABEL_VALUE = "virt-launcher"
LAUNCHER_VM_LABEL = "vm.kubevirt.internal.virtualization.deckhouse.io/name"

SYSTEM_NAMESPACE = "plumbline-system"
VM_NODE_LABEL = "plumbline.internal/vm-node"
HOLD_ANSWERS = "plumbline.internal/hold-answers"
UNREADY = "plumbline.internal/unready"

MAIN_INTERFACE = "default"
"""Name of the Main NIC in the internal VM (spec 4.1)."""

SUFFIX_LENGTH = 10


def ip_lease_name(address: str) -> str:
    """`10.66.10.5` -> `ip-10-66-10-5` (spec 1.2; IPv4 only)."""
    return "ip-" + address.replace(".", "-")


def ip_of_lease(name: str) -> str:
    """`ip-10-66-10-5` -> `10.66.10.5`; empty when `name` is not of that form."""
    match = re.fullmatch(r"ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})", name)
    return ".".join(match.groups()) if match else ""


def normal_mac(address: str) -> str:
    """The one spelling of a MAC address: lower case, colons (MC-05)."""
    return address.strip().lower().replace("-", ":")


def mac_lease_name(address: str) -> str:
    """`5E:E6:19:54:F9:BE` -> `mac-5e-e6-19-54-f9-be` (spec 1.2)."""
    return "mac-" + normal_mac(address).replace(":", "-")


def mac_of_lease(name: str) -> str:
    """`mac-5e-e6-19-54-f9-be` -> `5e:e6:19:54:f9:be`; empty when `name` is not of that form."""
    match = re.fullmatch(r"mac-([0-9a-f]{2}(?:-[0-9a-f]{2}){5})", name)
    return match.group(1).replace("-", ":") if match else ""


def interface_name(network_type: str, mac: str) -> str:
    """Name of an additional NIC, e.g. `veth_cn99e3566e` (spec 4.1).

    `network_type` is `Network` or `ClusterNetwork`, `mac` the text of the address as stored.
    """
    prefix = "veth_n" if network_type == "Network" else "veth_cn"
    digest = hashlib.md5(mac.encode(), usedforsecurity=False).hexdigest()
    return prefix + digest[:8]


def derived_name(vm_name: str, *parts: str) -> str:
    """A repeatable object name that starts with `<vm>-` and depends on all `parts` (D18).

    A repeated create then answers AlreadyExists instead of making a second object (IA-06).
    """
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{vm_name}-{digest[:SUFFIX_LENGTH]}"


def bridge_name(kind: str, namespace: str, name: str) -> str:
    """The Linux bridge of a network, the same on every node; at most 15 characters."""
    return "br" + hashlib.sha256(f"{kind}/{namespace}/{name}".encode()).hexdigest()[:10]


def attachment_name(bridge: str, node: str) -> str:
    """Name of the NodeNetworkInterfaceAttachment of one network on one node."""
    return f"{bridge}-{node}"
