"""The instance (VMI) of an internal VM: its making and the live changes of its NICs (seam 4)."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable

from reference_controller.api import kinds, names
from reference_controller.api.internal import ABSENT, Instance, Interface, InternalVM
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, MergePatch, owner_reference

FINALIZER = "plumbline.internal/instance-cleanup"


def create(internal: InternalVM) -> Create:
    """The instance as the template has it now, without NICs that shall leave (UP-06)."""
    template = internal.raw["spec"].get("template") or {}
    meta = template.get("metadata") or {}
    spec = copy.deepcopy(template.get("spec") or {})
    leaving = {nic.name for nic in internal.interfaces if nic.absent}
    _keep(spec, lambda name: name not in leaving)
    for nic in _nics(spec):
        if nic.get("name") == names.MAIN_INTERFACE and not nic.get("macAddress"):
            nic["macAddress"] = main_mac(internal)
    return Create(
        kinds.INTERNAL_INSTANCE,
        {
            "metadata": {
                "name": internal.name,
                "namespace": internal.namespace,
                "labels": meta.get("labels") or {},
                "annotations": meta.get("annotations") or {},
                "finalizers": [FINALIZER],
                "ownerReferences": [owner_reference(internal, kinds.INTERNAL_VM)],
            },
            "spec": spec,
            "status": {"phase": "Pending"},
        },
    )


def main_mac(internal: InternalVM) -> str:
    """A locally administered MAC for the Main NIC, the same for every instance of this VM."""
    digest = hashlib.sha256(f"main/{internal.uid}".encode()).digest()
    return "02:" + digest[:5].hex(":")


def synchronise(internal: InternalVM, instance: Instance) -> MergePatch | None:
    """Live changes of NICs: new ones are copied, `state` is copied, departed ones are dropped.

    An absent NIC leaves the instance's spec once its status no longer lists it (spec 4.8).
    """
    spec = copy.deepcopy(instance.raw["spec"])
    reported = {nic.name for nic in instance.status.interfaces}
    departed = {
        nic.name for nic in instance.spec.interfaces if nic.absent and nic.name not in reported
    }
    _keep(spec, lambda name: name not in departed)
    present = {nic["name"]: nic for nic in _nics(spec)}
    template = (internal.raw["spec"].get("template") or {}).get("spec") or {}
    for nic in _nics(template):
        mine = present.get(nic["name"])
        if mine is not None:
            _copy_state(mine, nic)
        elif nic.get("state") != ABSENT and nic["name"] != names.MAIN_INTERFACE:
            _append(spec, nic)
    if spec == instance.raw["spec"]:
        return None
    body = {
        "networks": spec.get("networks", []),
        "domain": {"devices": {"interfaces": _nics(spec)}},
    }
    return MergePatch(
        kinds.INTERNAL_INSTANCE,
        instance.namespace,
        instance.name,
        {"spec": body},
        resource_version=instance.metadata.resource_version,
    )


def prune_template(internal: InternalVM, instance: Instance | None) -> MergePatch | None:
    """Drop absent NICs from the template once no instance has them, in spec or status (4.8)."""
    held: set[str] = set()
    if instance is not None:
        held = {nic.name for nic in instance.spec.interfaces}
        held |= {nic.name for nic in instance.status.interfaces}
    gone = {nic.name for nic in internal.interfaces if nic.absent and nic.name not in held}
    if not gone:
        return None
    spec = copy.deepcopy(internal.raw["spec"]["template"]["spec"])
    _keep(spec, lambda name: name not in gone)
    body = {
        "networks": spec.get("networks", []),
        "domain": {"devices": {"interfaces": _nics(spec)}},
    }
    return MergePatch(
        kinds.INTERNAL_VM,
        internal.namespace,
        internal.name,
        {"spec": {"template": {"spec": body}}},
        resource_version=internal.metadata.resource_version,
    )


def differs(internal: InternalVM, instance: Instance) -> bool:
    """Whether a NIC of the instance vanished from the template or is another one there (4.8)."""
    template = {nic.name: nic for nic in internal.interfaces}
    return any(_unlike(nic, template.get(nic.name)) for nic in instance.spec.interfaces)


def _unlike(mine: Interface, wanted: Interface | None) -> bool:
    if wanted is None:
        return not mine.absent
    other_mac = bool(wanted.mac_address) and names.normal_mac(
        wanted.mac_address
    ) != names.normal_mac(mine.mac_address)
    return other_mac or wanted.acpi_index != mine.acpi_index


def _nics(spec: Json) -> list[Json]:
    devices = (spec.get("domain") or {}).get("devices") or {}
    return devices.get("interfaces") or []


def _keep(spec: Json, wanted: Callable[[str], bool]) -> None:
    """Keep the NICs and pod networks whose name satisfies `wanted`."""
    if nics := _nics(spec):
        spec["domain"]["devices"]["interfaces"] = [nic for nic in nics if wanted(nic["name"])]
    if "networks" in spec:
        spec["networks"] = [net for net in spec["networks"] or [] if wanted(net["name"])]


def _copy_state(mine: Json, wanted: Json) -> None:
    if wanted.get("state"):
        mine["state"] = wanted["state"]
    else:
        mine.pop("state", None)


def _append(spec: Json, nic: Json) -> None:
    devices = spec.setdefault("domain", {}).setdefault("devices", {})
    devices["interfaces"] = [*(devices.get("interfaces") or []), copy.deepcopy(nic)]
    spec["networks"] = [*(spec.get("networks") or []), {"name": nic["name"], "pod": {}}]
