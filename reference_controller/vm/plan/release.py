"""Giving back what a removed network had, after the guest has let go of it (D9, UP-02, UP-03).

MAC, address and status entry go in one pass. What the guest has is read from the instance, not
from the spec: both its spec and its status must have lost the NIC (B20).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from reference_controller.api import kinds, names, networks
from reference_controller.api.machines import VirtualMachineSpec
from reference_controller.api.networks import NetworkKey, NetworkStatusEntry
from reference_controller.api.sdn import IPAddress
from reference_controller.api.writes import Delete, Write

from . import claims, handshake, lifecycle, macs, release
from .interfaces import Desired
from .world import World


def held_macs(world: World) -> frozenset[str] | None:
    """The MAC addresses that a guest may have; None when that cannot be known just now.

    The template of a live instance counts, since its NICs may be on their way to the guest.
    """
    instance = world.live_instance
    if instance is None:
        return None if world.guest_may_live else frozenset()
    found = {nic.mac_address for nic in instance.spec.interfaces}
    found |= {nic.mac for nic in instance.status.interfaces if nic.name}
    if world.internal is not None:
        found |= {nic.mac_address for nic in world.internal.interfaces}
    return frozenset(names.normal_mac(address) for address in found if address)


def holds(world: World, address: str) -> bool:
    """Whether a guest may still have the MAC `address`."""
    held = release.held_macs(world)
    return bool(address) and (held is None or names.normal_mac(address) in held)


def retained(world: World, spec: VirtualMachineSpec) -> tuple[NetworkStatusEntry, ...]:
    """Entries of status.networks that are not in `spec` any more but still in the guest."""
    listed = {entry.key for entry in networks.effective(spec.networks)}
    return tuple(
        entry
        for entry in world.vm.status.networks
        if not entry.key.main
        and entry.key not in listed
        and release.holds(world, entry.mac_address)
    )


def obsolete(world: World, spec: VirtualMachineSpec, desired: Desired) -> tuple[Write, ...]:
    """Deletes MACs and addresses that the controller made and nothing needs any more."""
    return (*release.obsolete_macs(world, desired), *release.obsolete_claims(world, spec, desired))


def obsolete_macs(world: World, desired: Desired) -> tuple[Write, ...]:
    """Deletes the VM's own VirtualMachineMACAddresses of networks that have left."""
    wanted = {choice.name for choice in desired.choices.values()}
    return tuple(
        Delete(kinds.VM_MAC_ADDRESS, world.namespace, name, mac.uid)
        for name, mac in sorted(world.macs.items())
        if name not in wanted
        and macs.is_own(world.vm, mac)
        and not mac.metadata.deleting
        and not release.holds(world, mac.status.address)
    )


def obsolete_claims(world: World, spec: VirtualMachineSpec, desired: Desired) -> tuple[Write, ...]:
    """Deletes the VM's own IPAddresses that no network uses any more."""
    held = {entry.key for entry in release.retained(world, spec)}
    own = {
        claim.network: world.macs.get(macs.own_name(world.vm, claim.network))
        for claim in world.claims.values()
    }
    held |= {key for key, mac in own.items() if mac and release.holds(world, mac.status.address)}
    return tuple(
        Delete(kinds.IP_ADDRESS, world.namespace, name, claim.uid)
        for name, claim in sorted(world.claims.items())
        if claims.is_own(world.vm, claim)
        and not claim.metadata.deleting
        and not release.claim_in_use(world, spec, desired, claim, held)
    )


def claim_in_use(
    world: World,
    spec: VirtualMachineSpec,
    desired: Desired,
    claim: IPAddress,
    held: AbstractSet[NetworkKey],
) -> bool:
    """Whether a network of `spec` has the automatic address, wants it, or is still leaving it."""
    key = claim.network
    entry = next((item for item in networks.additional(spec.networks) if item.key == key), None)
    if entry is None:
        return key in held
    if any(claim.name in nic.address_names for nic in desired.nics):
        return True
    network = world.networks.get(key)
    if not entry.ip_address_name and (network is None or network.pooled):
        return True
    return release.still_answered(world, key, desired)


def still_answered(world: World, key: NetworkKey, desired: Desired) -> bool:
    """Whether SDN has yet to move a running NIC to its new address (D32, IS-15)."""
    nic = next((item for item in desired.nics if item.key == key), None)
    if nic is None or not lifecycle.started(world):
        return False
    return not handshake.answered(world, nic.request)


def everything(world: World) -> tuple[Write, ...]:
    """Deletes all that the controller made for a VM that is going, once nothing runs."""
    writes: list[Write] = []
    machine = world.vm
    for name, claim in sorted(world.claims.items()):
        if claims.is_own(machine, claim) and not claim.metadata.deleting:
            writes.append(Delete(kinds.IP_ADDRESS, world.namespace, name, claim.uid))
    for name, mac in sorted(world.macs.items()):
        if macs.is_own(machine, mac) and not mac.metadata.deleting:
            writes.append(Delete(kinds.VM_MAC_ADDRESS, world.namespace, name, mac.uid))
    for name, address in sorted(world.addresses.items()):
        owner = address.metadata.controller
        if owner is not None and owner.uid == machine.uid and not address.metadata.deleting:
            writes.append(Delete(kinds.VM_IP_ADDRESS, world.namespace, name, address.uid))
    return tuple(writes)
