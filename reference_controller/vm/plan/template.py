"""The internal VM: what the platform below shall run (spec 4.3, 4.2, D7; seam).

The template of a running VM changes only for networks. A NIC that is not wanted any more is
marked `absent` while there is a live instance, so that the guest can let go of it; without one it
is dropped at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reference_controller.api import kinds, names, writes
from reference_controller.api.internal import ABSENT
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, MergePatch, Write, owner_reference

from . import comparator, handshake, power, template
from .addresses import MainAddress
from .comparator import Verdict
from .handshake import Handshake
from .interfaces import Desired, Nic
from .world import World

BINDING = "bpfbridge"
DEFAULT_MODEL, EMULATED_MODEL = "virtio", "e1000"


def synchronize(
    world: World, verdict: Verdict, desired: Desired, state: Handshake, main: MainAddress
) -> tuple[Write, ...]:
    """The write that brings the internal VM in line, or none."""
    target = template.body(world, verdict, desired, state, main)
    if world.internal is None:
        return (template.creation(world, verdict, target),)
    patch = writes.difference(world.internal.raw.get("spec", {}), target)
    body: Json = {"spec": patch} if patch else {}
    coming = any(choice.transient for choice in desired.choices.values())
    settled = not (state.waiting or desired.replugging or coming)
    if (patch or settled) and not verdict.waiting:
        body |= template.record(world, verdict)
    if not body:
        return ()
    version = world.internal.metadata.resource_version
    return (
        MergePatch(kinds.INTERNAL_VM, world.namespace, world.name, body, resource_version=version),
    )


def record(world: World, verdict: Verdict) -> Json:
    """The patch that stores the spec in force as last applied; {} when it is stored already."""
    if comparator.last_applied(world.internal) == verdict.raw:
        return {}
    return {"metadata": {"annotations": {names.LAST_APPLIED_SPEC: encode(verdict.raw)}}}


def encode(spec: Json) -> str:
    """A spec as the text of the annotation."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"))


def body(
    world: World, verdict: Verdict, desired: Desired, state: Handshake, main: MainAddress
) -> Json:
    """The spec of the internal VM; a None takes a key away."""
    raw = verdict.raw
    interfaces = template.interfaces(world, verdict, desired, state)
    current = _template_spec(world)
    inner: Json = {
        "domain": {
            "cpu": {"cores": raw.get("cpu", {}).get("cores", 1)},
            "memory": {"guest": raw.get("memory", {}).get("size", "")},
            "devices": {"autoattachPodInterface": False, "interfaces": interfaces},
        },
        "networks": [{"name": nic["name"], "pod": {}} for nic in interfaces],
        "nodeSelector": _replaced(current.get("nodeSelector"), raw.get("nodeSelector") or {}),
    }
    return {
        "runStrategy": power.run_strategy(world),
        "template": {
            "metadata": {"annotations": template.pod_annotations(state, main)},
            "spec": inner,
        },
    }


def pod_annotations(state: Handshake, main: MainAddress) -> Json:
    """The annotations that launcher pods start with.

    The address of a VM that has Main but whose VirtualMachineIPAddress is in trouble stays.
    """
    text = handshake.annotation(state.plugged)
    result: Json = {
        names.NETWORKS_SPEC: text,
        names.TAP_BY_DVP: "true" if text else None,
        names.ALLOW_POD_BRIDGE_MIGRATION: "true",
    }
    if main.address or not main.wanted:
        result[names.POD_ADDRESS] = main.address or None
    return result


def interfaces(world: World, verdict: Verdict, desired: Desired, state: Handshake) -> list[Json]:
    """The NICs of the template: `default` first, then those that were there, then new ones."""
    paravirtual = verdict.raw.get("enableParavirtualization", True)
    model = DEFAULT_MODEL if paravirtual else EMULATED_MODEL
    wanted = {nic.name: template.interface(nic, model) for nic in state.plugged}
    result: list[Json] = []
    if desired.main:
        result.append(
            {
                "name": names.MAIN_INTERFACE,
                "model": model,
                "acpiIndex": 1,
                "binding": {"name": BINDING},
            }
        )
    for existing in _template_interfaces(world):
        name = existing.get("name", "")
        if name == names.MAIN_INTERFACE:
            continue
        if name in wanted:
            result.append(wanted.pop(name))
        elif world.live_instance is not None:
            result.append({**existing, "state": ABSENT})
    return [*result, *wanted.values()]


def interface(nic: Nic, model: str) -> Json:
    """One additional NIC; its place on the bus is its id."""
    return {
        "name": nic.name,
        "model": model,
        "acpiIndex": nic.id,
        "binding": {"name": BINDING},
        "macAddress": nic.mac,
    }


def creation(world: World, verdict: Verdict, target: Json) -> Create:
    """The write that makes the internal VM."""
    return Create(
        kinds.INTERNAL_VM,
        {
            "metadata": {
                "name": world.name,
                "namespace": world.namespace,
                "labels": {names.VM_UID_LABEL: world.vm.uid},
                "annotations": {names.LAST_APPLIED_SPEC: encode(verdict.raw)},
                "ownerReferences": [owner_reference(world.vm, kinds.VIRTUAL_MACHINE)],
            },
            "spec": _without_none(target),
        },
    )


def _template_spec(world: World) -> Json:
    if world.internal is None:
        return {}
    spec: Json = world.internal.raw.get("spec", {}).get("template", {}).get("spec", {})
    return spec


def _template_interfaces(world: World) -> list[Json]:
    devices = _template_spec(world).get("domain", {}).get("devices", {})
    found: list[Json] = devices.get("interfaces") or []
    return found


def _replaced(current: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> Json:
    """`wanted`, with a None for each key that only `current` has (merge patches add otherwise)."""
    gone = {key: None for key in current or {} if key not in wanted}
    return {**wanted, **gone}


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in value]
    return value
