"""Views of the user's VM and what belongs to it: VirtualMachine, VMOP, VMIP, VMMAC and leases."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .conditions import Condition
from .networks import NetworkEntry, NetworkStatusEntry
from .view import Object, View


class Disruptions(View):
    """spec.disruptions of a VM."""

    restart_approval_mode: str = "Manual"


class VirtualMachineSpec(View):
    """The parts of a VM's spec that networking depends on."""

    networks: tuple[NetworkEntry, ...] | None = None
    ip_address_name: str = Field(default="", alias="virtualMachineIPAddressName")
    run_policy: str = "AlwaysOnUnlessStoppedManually"
    class_name: str = Field(default="", alias="virtualMachineClassName")
    disruptions: Disruptions = Disruptions()
    node_selector: dict[str, str] = Field(default_factory=dict)


class VirtualMachineStatus(View):
    """The parts of a VM's status that plans read back."""

    phase: str = ""
    ip_address: str = ""
    ip_address_name: str = Field(default="", alias="virtualMachineIPAddressName")
    networks: tuple[NetworkStatusEntry, ...] = ()
    conditions: tuple[Condition, ...] = ()
    restart_awaiting_changes: tuple[dict[str, Any], ...] = ()
    observed_generation: int = 0
    stats: dict[str, Any] = Field(default_factory=dict)


class VirtualMachine(Object):
    """virtualization.deckhouse.io VirtualMachine."""

    spec: VirtualMachineSpec = VirtualMachineSpec()
    status: VirtualMachineStatus = VirtualMachineStatus()


class OperationSpec(View):
    """spec of a VirtualMachineOperation."""

    type: str = ""
    virtual_machine_name: str = ""
    force: bool = False


class OperationStatus(View):
    """status of a VirtualMachineOperation."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class Operation(Object):
    """VirtualMachineOperation."""

    spec: OperationSpec = OperationSpec()
    status: OperationStatus = OperationStatus()


class IPAddressClaimSpec(View):
    """spec of a VirtualMachineIPAddress."""

    type: str = "Auto"
    static_ip: str = Field(default="", alias="staticIP")


class AddressStatus(View):
    """status shared by VirtualMachineIPAddress and VirtualMachineMACAddress."""

    address: str = ""
    virtual_machine_name: str = ""
    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    observed_generation: int = 0


class MachineIPAddress(Object):
    """VirtualMachineIPAddress: the claim of a Main address."""

    spec: IPAddressClaimSpec = IPAddressClaimSpec()
    status: AddressStatus = AddressStatus()


class MachineMACAddressSpec(View):
    """spec of a VirtualMachineMACAddress."""

    address: str = ""


class MachineMACAddress(Object):
    """VirtualMachineMACAddress: the claim of a MAC address."""

    spec: MachineMACAddressSpec = MachineMACAddressSpec()
    status: AddressStatus = AddressStatus()


class ClaimReference(View):
    """A lease's reference to its claim; name and namespace are empty once it is released."""

    name: str = ""
    namespace: str = ""


class IPLeaseSpec(View):
    """spec of a VirtualMachineIPAddressLease."""

    claim: ClaimReference = Field(default=ClaimReference(), alias="virtualMachineIPAddressRef")


class MACLeaseSpec(View):
    """spec of a VirtualMachineMACAddressLease."""

    claim: ClaimReference = Field(default=ClaimReference(), alias="virtualMachineMACAddressRef")


class LeaseStatus(View):
    """status shared by both leases."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class MachineIPLease(Object):
    """VirtualMachineIPAddressLease: the cluster-wide hold on a Main address, named after it."""

    spec: IPLeaseSpec = IPLeaseSpec()
    status: LeaseStatus = LeaseStatus()


class MachineMACLease(Object):
    """VirtualMachineMACAddressLease: the cluster-wide hold on a MAC address, named after it."""

    spec: MACLeaseSpec = MACLeaseSpec()
    status: LeaseStatus = LeaseStatus()
