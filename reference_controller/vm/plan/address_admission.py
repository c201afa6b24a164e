"""What the API server shall refuse of address objects and operations (spec 8, D16, VI-02)."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from reference_controller.api import names
from reference_controller.api.machines import MachineIPAddress, MachineIPLease, Operation

from . import address_admission, main_addresses, operations
from .admission import Refused
from .world import Settings


@dataclass(frozen=True)
class AddressRequest:
    """A create or an update of a VirtualMachineIPAddress; `lease` holds its static address."""

    settings: Settings
    new: MachineIPAddress
    old: MachineIPAddress | None = None
    lease: MachineIPLease | None = None


def judge_address(request: AddressRequest) -> tuple[str, ...]:
    """Check a VirtualMachineIPAddress; the answer is warnings for its user.

    Raises:
        Refused: a rule of spec 8 is broken.
    """
    new, old = request.new, request.old
    if old is not None and (old.spec == new.spec or old.metadata.deleting):
        return ()
    if not request.settings.cidrs:
        raise Refused("spec: no address ranges for virtual machines are configured")
    static = new.spec.static_ip
    if new.spec.type != "Static":
        if static:
            raise Refused("spec.staticIP: only for type Static; leave it out")
    elif not _is_ipv4(static):
        raise Refused(f"spec.staticIP: {static!r} is not an IPv4 address; type Static needs one")
    if old is not None:
        address_admission.judge_bound(old, new)
    if not static or (old is not None and static == old.status.address):
        return ()
    held = request.lease
    if held is not None and held.status.phase != "Released" and not _own(new, held):
        holder = f"{held.spec.claim.namespace}/{held.spec.claim.name}"
        raise Refused(f"spec.staticIP: {static} is held by VirtualMachineIPAddress {holder}")
    if main_addresses.in_range(request.settings, static):
        return ()
    ranges = ", ".join(map(str, request.settings.cidrs))
    text = f"spec.staticIP: {static} is not a usable address of {ranges}"
    if old is None:
        raise Refused(text)
    return (text,)


def judge_bound(old: MachineIPAddress, new: MachineIPAddress) -> None:
    """An address that is bound keeps its type and value; Auto may become it as Static (D16).

    Raises:
        Refused: the change would give another address.
    """
    if old.status.phase not in ("Bound", "Attached"):
        return
    address = old.status.address
    if new.spec.type == "Static" and new.spec.static_ip == address:
        return
    raise Refused(
        f"spec: {address} is bound and cannot change; use another VirtualMachineIPAddress"
    )


def judge_operation(new: Operation, others: Sequence[Operation]) -> None:
    """Check a new VirtualMachineOperation against the unfinished ones of its VM.

    Raises:
        Refused: one of them may not be superseded by it.
    """
    for other in others:
        if other.status.phase in operations.TERMINAL or other.metadata.deleting:
            continue
        if not operations.may_supersede(other, new):
            raise Refused(
                f"spec: operation {other.name!r} ({other.spec.type}) on virtual machine "
                f"{new.spec.virtual_machine_name!r} has not ended; wait for it"
            )


def _own(claim: MachineIPAddress, lease: MachineIPLease) -> bool:
    held = lease.spec.claim
    return (held.namespace, held.name) == (claim.namespace, claim.name)


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ipaddress.AddressValueError:
        return False
    return True


def is_lease_name(name: str) -> bool:
    """Whether the name of a VirtualMachineIPAddressLease is an address."""
    return _is_ipv4(names.ip_of_lease(name))
