"""What the API server shall refuse, and the ids it shall fill in (spec 8, D10, D16, D25, D34).

Pure: who calls has looked up what the rules need. Refusals name the field, say what is wrong
with it and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from reference_controller.api import networks
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.networks import MAIN_ID, MAX_ID, NetworkEntry, NetworkKey
from reference_controller.api.view import Json

from . import admission, identifiers
from .world import Settings


class Refused(Exception):
    """The request is refused; the text is what its user reads."""


@dataclass(frozen=True)
class MachineRequest:
    """A create (`old` is None) or an update of a VM.

    `unknown`: networks of the new list that do not exist. `namesake`: a VirtualMachineIPAddress
    has the VM's name.
    """

    settings: Settings
    new: VirtualMachine
    old: VirtualMachine | None = None
    unknown: AbstractSet[NetworkKey] = frozenset()
    namesake: bool = False


def filled(new: VirtualMachine, old: VirtualMachine | None) -> list[Json] | None:
    """spec.networks with all ids, or None when nothing is missing.

    Raises:
        Refused: no id is left (D34).
    """
    entries = new.spec.networks or ()
    if all(entry.id is not None for entry in entries):
        return None
    stored = (old.spec.networks if old is not None else None) or ()
    status = old.status.networks if old is not None else ()
    try:
        numbers = identifiers.assign(entries, stored, status)
    except identifiers.Exhausted as error:
        raise Refused(f"spec.networks: {error}; remove a network") from error
    raw: list[Json] = new.raw["spec"]["networks"]
    return [{**item, "id": number} for item, number in zip(raw, numbers, strict=True)]


def added(new: VirtualMachine, old: VirtualMachine | None) -> tuple[NetworkKey, ...]:
    """The networks that an update adds, which must exist (AD-04); a create checks none."""
    if old is None:
        return ()
    known = {entry.key for entry in networks.additional(old.spec.networks)}
    return tuple(
        entry.key for entry in networks.additional(new.spec.networks) if entry.key not in known
    )


def judge_machine(request: MachineRequest) -> None:
    """Check a VM.

    Raises:
        Refused: a rule is broken; the first one in the order of spec 8.
    """
    new, old = request.new, request.old
    if old is not None and old.metadata.deleting:
        return
    if old is not None and _same_networks(old, new) and _same_address(old, new):
        return
    for complaint in admission.complaints(request):
        raise Refused(complaint)


def complaints(request: MachineRequest) -> Iterator[str]:
    """Every broken rule, in order."""
    yield from admission.address_complaints(request)
    if request.old is not None and _same_networks(request.old, request.new):
        return
    entries = request.new.spec.networks or ()
    yield from admission.gate_complaints(request.settings, entries)
    yield from admission.shape_complaints(entries)
    yield from admission.update_complaints(request)


def address_complaints(request: MachineRequest) -> Iterator[str]:
    """Rules on spec.virtualMachineIPAddressName (spec 8, B11)."""
    spec = request.new.spec
    field = "spec.virtualMachineIPAddressName"
    if spec.ip_address_name and not request.settings.cidrs:
        yield f"{field}: no address ranges for virtual machines are configured; leave it out"
    if spec.ip_address_name and not networks.has_main(spec.networks):
        yield f"{field}: only the Main network uses it, and spec.networks has none; leave it out"
    creating = request.old is None
    main = networks.has_main(spec.networks) and bool(request.settings.cidrs)
    if creating and main and not spec.ip_address_name and request.namesake:
        yield (
            f"{field}: a VirtualMachineIPAddress named {request.new.name!r} exists; "
            "name it here or choose another name for the virtual machine"
        )


def gate_complaints(settings: Settings, entries: Sequence[NetworkEntry]) -> Iterator[str]:
    """The table of AD-03: what SDN and the address ranges allow."""
    if networks.additional(entries) and not settings.sdn_enabled:
        hint = "" if settings.cidrs else " (and no address ranges for Main are configured)"
        yield f"spec.networks: additional networks need the SDN module, which is off{hint}"
    if networks.has_main(entries) and not settings.cidrs:
        if not entries:
            yield (
                "spec.networks: without address ranges for virtual machines there is no Main "
                "network; name at least one additional network"
            )
        else:
            yield (
                "spec.networks: Main needs address ranges for virtual machines "
                "(virtualMachineCIDRs), and none are configured"
            )


def shape_complaints(entries: Sequence[NetworkEntry]) -> Iterator[str]:
    """Rules on the list itself (AD-01, AD-07)."""
    seen: set[NetworkKey] = set()
    numbers: set[int] = set()
    for place, entry in enumerate(entries):
        field = f"spec.networks[{place}]"
        if entry.key.main and place > 0:
            yield f"{field}.type: Main must be the first network"
        if entry.key.main and entry.name:
            yield f"{field}.name: Main has no name; leave it out"
        if not entry.key.main and not entry.name:
            yield f"{field}.name: a network of type {entry.type} needs a name"
        if entry.key in seen:
            yield f"{field}.name: {entry.key} is listed twice"
        seen.add(entry.key)
        if entry.id is None:
            continue
        yield from admission.id_complaints(field, entry, entry.id)
        if entry.id in numbers:
            yield f"{field}.id: {entry.id} is used twice"
        numbers.add(entry.id)


def id_complaints(field: str, entry: NetworkEntry, number: int) -> Iterator[str]:
    """Rules on one id (D25)."""
    if not 1 <= number <= MAX_ID:
        yield f"{field}.id: {number} is not between 1 and {MAX_ID}"
    if entry.key.main and number != MAIN_ID:
        yield f"{field}.id: {number} is given, but Main always has id {MAIN_ID}"
    if not entry.key.main and number == MAIN_ID:
        yield f"{field}.id: {MAIN_ID} is reserved for Main; leave the id out or choose another"


def update_complaints(request: MachineRequest) -> Iterator[str]:
    """Rules that compare with the stored list (AD-02, AD-04)."""
    old, new = request.old, request.new
    if old is None:
        return
    ids = {entry.key: entry.id for entry in old.spec.networks or ()}
    for place, entry in enumerate(new.spec.networks or ()):
        before = ids.get(entry.key)
        if before is not None and entry.id != before and old.status.phase != "Stopped":
            yield (
                f"spec.networks[{place}].id: the id of {entry.key} is {before} and cannot "
                "change unless the virtual machine is Stopped"
            )
        if entry.key in request.unknown and entry.key in admission.added(new, old):
            yield f"spec.networks[{place}].name: {entry.key} does not exist; create it first"


def _same_networks(old: VirtualMachine, new: VirtualMachine) -> bool:
    return old.spec.networks == new.spec.networks


def _same_address(old: VirtualMachine, new: VirtualMachine) -> bool:
    return old.spec.ip_address_name == new.spec.ip_address_name
