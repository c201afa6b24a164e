"""Which MAC address each additional network of a VM gets (spec 4.1, D4, D18, D33).

Decided per entry, by type and name, never by counting. An entry that names a
VirtualMachineMACAddress gets that one or none; every other has one of its own, whose name
depends on the VM's UID and the network, so that a repeated create finds the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference_controller.api import conditions, kinds, names, networks
from reference_controller.api.conditions import Condition
from reference_controller.api.machines import MachineMACAddress, VirtualMachine
from reference_controller.api.networks import NetworkEntry, NetworkKey
from reference_controller.api.writes import Create, owner_reference

from . import macs
from .world import World

READY = "VirtualMachineMACAddressReady"
NOT_READY = "VirtualMachineMACAddressNotReady"


@dataclass(frozen=True)
class MacChoice:
    """The MAC of one network: `address` is empty while there is none, then `problem` says why.

    `transient`: the address is being made, by ourselves, and will come without anybody's doing.
    """

    key: NetworkKey
    name: str
    address: str = ""
    problem: str = ""
    transient: bool = False
    create: Create | None = None


def own_name(machine: VirtualMachine, key: NetworkKey) -> str:
    """Name of the VM's own VirtualMachineMACAddress for a network."""
    return names.derived_name(machine.name, machine.uid, key.type, key.name)


def choose(world: World, entries: Sequence[NetworkEntry]) -> dict[NetworkKey, MacChoice]:
    """The choice for each additional network of `entries`."""
    choices: dict[NetworkKey, MacChoice] = {}
    used: dict[str, NetworkKey] = {}
    for entry in networks.additional(entries):
        choice = (
            macs.choose_named(world, entry) if entry.mac_name else macs.choose_own(world, entry)
        )
        if choice.address and choice.name in used:
            taker = used[choice.name]
            problem = f"{entry.key}: VirtualMachineMACAddress {choice.name!r} is used by {taker}"
            choice = MacChoice(entry.key, choice.name, problem=problem)
        used.setdefault(choice.name, entry.key)
        choices[entry.key] = choice
    return choices


def choose_named(world: World, entry: NetworkEntry) -> MacChoice:
    """The address of the object that the entry names."""
    name, key = entry.mac_name, entry.key
    mac = world.macs.get(name)
    label = f"VirtualMachineMACAddress {name!r}"
    if mac is None:
        return MacChoice(key, name, problem=f"{key}: {label} is not found")
    owner = mac.metadata.controller
    if owner is not None and owner.uid != world.vm.uid:
        return MacChoice(key, name, problem=f"{key}: {label} belongs to VM {owner.name!r}")
    return macs.usable(world, key, mac)


def choose_own(world: World, entry: NetworkEntry) -> MacChoice:
    """The address of the VM's own object for the network; one is made when it is missing."""
    key = entry.key
    name = macs.own_name(world.vm, key)
    mac = world.macs.get(name)
    if mac is None:
        waiting = f"{key}: VirtualMachineMACAddress {name!r} is being made"
        return MacChoice(key, name, "", waiting, True, macs.creation(world, name))
    if not is_own(world.vm, mac):
        problem = f"{key}: the name {name!r} is taken by a foreign VirtualMachineMACAddress"
        return MacChoice(key, name, problem=problem)
    return macs.usable(world, key, mac)


def usable(world: World, key: NetworkKey, mac: MachineMACAddress) -> MacChoice:
    """The address once it is bound for, and attached to, this VM."""
    label = f"VirtualMachineMACAddress {mac.name!r}"
    holder = mac.status.virtual_machine_name
    if mac.metadata.deleting and not _in_guest(world, mac):
        # It is valid for its present user until it is gone, for nobody else (D19).
        return MacChoice(key, mac.name, problem=f"{key}: {label} is being deleted")
    if mac.status.phase not in ("Bound", "Attached") or not mac.status.address:
        transient = is_own(world.vm, mac) and not mac.metadata.deleting
        return MacChoice(key, mac.name, problem=f"{key}: {label} is not bound", transient=transient)
    if holder and holder != world.name:
        problem = f"{key}: {label} is held by VM {holder!r}"
        return MacChoice(key, mac.name, problem=problem)
    if not holder:
        problem = f"{key}: {label} is not attached yet"
        return MacChoice(key, mac.name, problem=problem, transient=is_own(world.vm, mac))
    return MacChoice(key, mac.name, mac.status.address)


def _in_guest(world: World, mac: MachineMACAddress) -> bool:
    instance = world.live_instance
    return instance is not None and any(
        names.normal_mac(nic.mac_address) == mac.status.address for nic in instance.spec.interfaces
    )


def is_own(machine: VirtualMachine, mac: MachineMACAddress) -> bool:
    """Whether the controller made `mac` for this very VM (never a user's object, D12)."""
    owner = mac.metadata.controller
    return owner is not None and owner.uid == machine.uid


def creation(world: World, name: str) -> Create:
    """The write that makes the VM's own VirtualMachineMACAddress."""
    return Create(
        kinds.VM_MAC_ADDRESS,
        {
            "metadata": {
                "name": name,
                "namespace": world.namespace,
                "labels": {names.VM_UID_LABEL: world.vm.uid},
                "finalizers": [names.VMMAC_FINALIZER],
                "ownerReferences": [owner_reference(world.vm, kinds.VIRTUAL_MACHINE)],
            },
            "spec": {},
        },
    )


def condition(world: World, choices: dict[NetworkKey, MacChoice]) -> Condition:
    """VirtualMachineMACAddressReady (spec 2.2)."""
    generation = world.vm.metadata.generation
    problems = [choice.problem for choice in choices.values() if choice.problem]
    if not problems:
        return conditions.wanted(READY, "True", READY, "", generation)
    owned = sum(choice.name in world.macs for choice in choices.values())
    message = "; ".join(problems)
    if owned < len(choices):
        message = f"{owned}/{len(choices)} MAC addresses are there: {message}"
    return conditions.wanted(READY, "False", NOT_READY, message, generation)
