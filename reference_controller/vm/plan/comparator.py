"""What an edit of a VM's spec means for a running guest (spec 3, D8, D14, D22).

The last applied spec, kept as JSON on the internal VM, is compared with the present one. A
change either is nothing, or is applied live, or waits for a restart together with all others.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from reference_controller.api import names, networks
from reference_controller.api.internal import InternalVM
from reference_controller.api.machines import VirtualMachineSpec
from reference_controller.api.networks import NetworkEntry
from reference_controller.api.view import Json

from . import comparator, lifecycle
from .world import World

Action = Literal["None", "ApplyImmediate", "Restart"]

RESTART_FIELDS = {
    "virtualMachineIPAddressName": "virtualMachineIPAddress",
    "virtualMachineClassName": "virtualMachineClassName",
    "cpu": "cpu",
    "memory": "memory",
    "blockDeviceRefs": "blockDeviceRefs",
    "bootloader": "bootloader",
    "osType": "osType",
    "enableParavirtualization": "enableParavirtualization",
    "nodeSelector": "nodeSelector",
    "tolerations": "tolerations",
    "affinity": "affinity",
}
"""Fields that only a new instance takes over, with the path that the change is reported under."""


@dataclass(frozen=True)
class Change:
    """One difference between the last applied and the present spec."""

    path: str
    action: Action
    operation: Literal["add", "remove", "replace"]
    current: Any = None
    desired: Any = None

    def encode(self) -> Json:
        """The change as an entry of status.restartAwaitingChanges; absent values are left out."""
        values = {"currentValue": self.current, "desiredValue": self.desired}
        given = {key: value for key, value in values.items() if value is not None}
        return {"operation": self.operation, "path": self.path, **given}


@dataclass(frozen=True)
class Verdict:
    """What is in force: the spec to realise now, and the changes that wait for a restart.

    Attributes:
        spec: the spec that the guest shall have now.
        raw: the same as JSON, to be stored as last applied.
        waiting: changes of class Restart that are held back, with all others (D22, MN-08).
    """

    spec: VirtualMachineSpec
    raw: Json
    waiting: tuple[Change, ...] = ()


def last_applied(internal: InternalVM | None) -> Json | None:
    """The spec that was applied last; None when there is none that can be read."""
    if internal is None:
        return None
    try:
        spec = json.loads(internal.metadata.annotations.get(names.LAST_APPLIED_SPEC, ""))
        VirtualMachineSpec.model_validate(spec)
    except (ValueError, RecursionError, ValidationError):
        return None
    return spec if isinstance(spec, dict) else None


def compare(old: Json, new: Json) -> tuple[Change, ...]:
    """All changes from `old` to `new`, two JSON specs, networks first."""
    changes = []
    action = comparator.networks_action(entries(old), entries(new))
    if action != "None":
        changes.append(_change("networks", action, old.get("networks"), new.get("networks")))
    for key, path in RESTART_FIELDS.items():
        if old.get(key) != new.get(key):
            changes.append(_change(path, "Restart", old.get(key), new.get(key)))
    return tuple(changes)


def entries(spec: Json) -> tuple[NetworkEntry, ...] | None:
    """The networks of a JSON spec; None where it has none."""
    return VirtualMachineSpec.model_validate({"networks": spec.get("networks")}).networks


def networks_action(
    old: tuple[NetworkEntry, ...] | None, new: tuple[NetworkEntry, ...] | None
) -> Action:
    """How a change of spec.networks is applied.

    Absent, [] and [Main] are one list (D8). The order of additional networks means nothing
    (D14), and an id that was filled in is no change.
    """
    if networks.has_main(old) != networks.has_main(new):
        return "Restart"
    before = {entry.key: entry for entry in networks.additional(old)}
    after = {entry.key: entry for entry in networks.additional(new)}
    if before.keys() != after.keys():
        return "ApplyImmediate"
    for key, entry in before.items():
        if not _same(entry, after[key]):
            return "ApplyImmediate"
    return "None"


def verdict(world: World) -> Verdict:
    """Which spec is in force for the VM of `world`.

    Without an instance, or before its guest was started (D38), it is always the present one.
    """
    present: Json = world.vm.raw.get("spec", {})
    applied = comparator.last_applied(world.internal)
    if applied is None or not lifecycle.started(world):
        return Verdict(world.vm.spec, present)
    waiting = tuple(
        change for change in comparator.compare(applied, present) if change.action == "Restart"
    )
    if waiting:
        return Verdict(VirtualMachineSpec.model_validate(applied), applied, waiting)
    return Verdict(world.vm.spec, present)


def _same(old: NetworkEntry, new: NetworkEntry) -> bool:
    return (
        old.mac_name == new.mac_name
        and old.ip_address_name == new.ip_address_name
        and (old.id is None or old.id == new.id)
    )


def _change(path: str, action: Action, old: Any, new: Any) -> Change:
    operation: Literal["add", "remove", "replace"] = "replace"
    if old is None:
        operation = "add"
    elif new is None:
        operation = "remove"
    return Change(path, action, operation, old, new)
