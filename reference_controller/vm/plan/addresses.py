"""The Main address of a VM: which VirtualMachineIPAddress it uses (spec 2.1, 6, D11)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from reference_controller.api import conditions, kinds, names, networks
from reference_controller.api.conditions import Condition
from reference_controller.api.machines import MachineIPAddress, VirtualMachine, VirtualMachineSpec
from reference_controller.api.writes import Create, Delete, Write, owner_reference

from . import addresses
from .world import World

READY = "VirtualMachineIPAddressReady"
NOT_READY = "VirtualMachineIPAddressNotReady"
NOT_ASSIGNED = "VirtualMachineIPAddressNotAssigned"


@dataclass(frozen=True)
class MainAddress:
    """What the VM's Main network uses.

    `wanted`: the VM has Main. `name`, `address`: the object and its address, empty while there is
    none that is bound and attached to this VM. `problem`: why not. `create`: the missing object.
    """

    wanted: bool = False
    name: str = ""
    address: str = ""
    problem: str = ""
    create: Create | None = None


def own_name(machine: VirtualMachine) -> str:
    """Name of the VM's own VirtualMachineIPAddress (D18)."""
    return names.derived_name(machine.name, machine.uid, networks.MAIN)


def decide(world: World, spec: VirtualMachineSpec) -> MainAddress:
    """The Main address under `spec`, the spec in force: an edit that waits changes nothing."""
    if not networks.has_main(spec.networks) or not world.settings.cidrs:
        return MainAddress()
    given = spec.ip_address_name
    name = given or addresses.own_name(world.vm)
    claim = world.addresses.get(name)
    label = f"VirtualMachineIPAddress {name!r}"
    if claim is None:
        if given:
            problem = f"the requested {label} is not found"
            return MainAddress(True, problem=problem)
        create = creation(world, name)
        return MainAddress(True, problem=f"{label} is being made", create=create)
    holder = claim.status.virtual_machine_name
    if claim.status.phase != "Attached" or not claim.status.address:
        bound = conditions.find(claim.status.conditions, "Bound")
        cause = f": {bound.message}" if bound is not None and bound.message else ""
        return MainAddress(True, name, problem=f"{label} is not bound yet{cause}")
    if holder != world.name:
        return MainAddress(True, name, problem=f"{label} is held by VM {holder!r}")
    if claim.metadata.deleting and not world.guest_may_live:
        return MainAddress(True, name, problem=f"{label} is being deleted")
    return MainAddress(True, name, claim.status.address)


def condition(world: World, main: MainAddress) -> Condition:
    """VirtualMachineIPAddressReady."""
    generation = world.vm.metadata.generation
    if not main.wanted:
        return conditions.wanted(READY, "True", READY, "", generation)
    if not main.address:
        return conditions.wanted(READY, "False", NOT_READY, main.problem, generation)
    reported = addresses.contradiction(world, main.address)
    if reported:
        message = (
            f"the address {main.address} of VirtualMachineIPAddress {main.name!r} is not on the "
            f"interface of the running guest, which has: {', '.join(reported)}"
        )
        return conditions.wanted(READY, "False", NOT_ASSIGNED, message, generation)
    return conditions.wanted(READY, "True", READY, "", generation)


def contradiction(world: World, address: str) -> tuple[str, ...]:
    """The addresses of Main as reported, where they prove that the guest got another (AS-07).

    No entry, no list and a list without any usable address of the family prove nothing (AS-11).
    """
    instance = world.live_instance
    if instance is None or instance.status.phase != "Running":
        return ()
    for interface in instance.status.interfaces:
        if interface.name != names.MAIN_INTERFACE:
            continue
        listed = interface.ip_addresses
        if address not in listed and any(_usable_ipv4(text) for text in listed):
            return listed
    return ()


def obsolete(world: World, main: MainAddress) -> tuple[Write, ...]:
    """Deletes the VM's own object once the spec in force does not use it (spec 2.1, B34)."""
    name = addresses.own_name(world.vm)
    claim = world.addresses.get(name)
    if claim is None or claim.metadata.deleting or not is_own(world.vm, claim):
        return ()
    in_use = (main.wanted and main.name in ("", name)) or not world.settings.cidrs
    if in_use or (world.guest_may_live and _shown(world, claim)):
        return ()
    return (Delete(kinds.VM_IP_ADDRESS, world.namespace, name, claim.uid),)


def is_own(machine: VirtualMachine, claim: MachineIPAddress) -> bool:
    """Whether the controller made `claim` for this very VM (never a user's object, D12)."""
    owner = claim.metadata.controller
    return owner is not None and owner.uid == machine.uid


def creation(world: World, name: str) -> Create:
    """The write that makes the VM's own VirtualMachineIPAddress."""
    return Create(
        kinds.VM_IP_ADDRESS,
        {
            "metadata": {
                "name": name,
                "namespace": world.namespace,
                "labels": {names.VM_UID_LABEL: world.vm.uid},
                "finalizers": [names.VMIP_FINALIZER],
                "ownerReferences": [owner_reference(world.vm, kinds.VIRTUAL_MACHINE)],
            },
            "spec": {"type": "Auto"},
        },
    )


def _shown(world: World, claim: MachineIPAddress) -> bool:
    """Whether the instance still has the address on its Main interface."""
    instance = world.live_instance
    return instance is not None and any(
        claim.status.address in interface.ip_addresses
        for interface in instance.status.interfaces
        if interface.name == names.MAIN_INTERFACE
    )


def _usable_ipv4(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.version == 4 and not address.is_link_local
