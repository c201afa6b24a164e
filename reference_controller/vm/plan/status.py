"""The VM's status: one write a pass, true from the first (spec 1.1, 2, 4.7, D5, D9, D29)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reference_controller.api import conditions, kinds, names, networks, writes
from reference_controller.api.conditions import Condition
from reference_controller.api.internal import LauncherPod
from reference_controller.api.networks import (
    MAIN_ID,
    InterfaceRequest,
    NetworkEntry,
    NetworkStatusEntry,
)
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, Write

from . import release, status
from .addresses import MainAddress
from .comparator import Verdict
from .handshake import Handshake
from .interfaces import Desired, Nic
from .world import World

OWNED = (
    "VirtualMachineClassReady",
    "BlockDevicesReady",
    "VirtualMachineIPAddressReady",
    "VirtualMachineMACAddressReady",
    "NetworkReady",
    "ConfigurationApplied",
    "AwaitingRestartToApplyConfiguration",
    "Running",
    "AgentReady",
    "AgentVersionNotSupported",
    "Migratable",
)
"""The condition types that this controller is responsible for; others are handed on (CN-04)."""

REMEMBERED_PHASES = 5


@dataclass(frozen=True)
class Facts:
    """What the other plans have found, to be reported."""

    verdict: Verdict
    desired: Desired
    state: Handshake
    main: MainAddress
    phase: str
    conditions: tuple[Condition, ...]


def write(world: World, facts: Facts) -> tuple[Write, ...]:
    """The write that makes the status say what is so; none when it does."""
    stored: Json = world.vm.raw.get("status", {})
    patch = writes.difference(stored, status.target(world, facts))
    if not patch:
        return ()
    version = world.vm.metadata.resource_version
    return (
        MergePatch(
            kinds.VIRTUAL_MACHINE,
            world.namespace,
            world.name,
            {"status": patch},
            status=True,
            resource_version=version,
        ),
    )


def target(world: World, facts: Facts) -> Json:
    """The status fields that this controller owns; None takes a field away."""
    stored: Json = world.vm.raw.get("status", {})
    waiting = [change.encode() for change in facts.verdict.waiting]
    merged = conditions.merge(stored.get("conditions") or [], facts.conditions, OWNED, world.now)
    return {
        "phase": facts.phase,
        "nodeName": _node(world) or None,
        **status.address(world, facts.main),
        "networks": status.network_entries(world, facts),
        "conditions": merged,
        "restartAwaitingChanges": waiting or None,
        "virtualMachinePods": _pods(world) or None,
        "stats": status.statistics(world, facts.phase),
        "resources": status.resources(facts.verdict.raw),
        "guestOSInfo": _guest_info(world),
        "observedGeneration": world.vm.metadata.generation,
    }


def address(world: World, main: MainAddress) -> Json:
    """The Main address; one that a running guest was given is not withdrawn for trouble (D11)."""
    if main.wanted and not main.address and world.guest_may_live:
        return {}
    return {
        "ipAddress": main.address or None,
        "virtualMachineIPAddressName": (main.address and main.name) or None,
    }


def network_entries(world: World, facts: Facts) -> list[Json]:
    """status.networks: the networks in force in spec order, then those that are leaving."""
    entries: list[Json] = []
    plugged = {nic.key: nic for nic in facts.state.plugged}
    before = {entry.key: entry for entry in world.vm.status.networks}
    for entry in networks.effective(facts.verdict.spec.networks):
        if entry.key.main:
            if world.settings.cidrs:
                entries.append({"id": MAIN_ID, "type": networks.MAIN})
            continue
        former = before.get(entry.key)
        number = facts.desired.ids.get(entry.key)
        entries.append(status.network_entry(world, entry, number, plugged.get(entry.key), former))
    entries += [_encode(entry) for entry in release.retained(world, facts.verdict.spec)]
    return entries


def network_entry(
    world: World,
    entry: NetworkEntry,
    number: int | None,
    nic: Nic | None,
    former: NetworkStatusEntry | None,
) -> Json:
    """One additional network; its MAC appears with the NIC, and stays until the guest let go."""
    mac = nic.mac if nic is not None else ""
    changed = former is not None and names.normal_mac(former.mac_address) != mac
    if former is not None and changed and release.holds(world, former.mac_address):
        return _encode(former)
    result: Json = {"type": entry.type, "name": entry.name}
    if number is not None:
        result["id"] = number
    if nic is None:
        return result
    result["macAddress"] = mac
    result["virtualMachineMACAddressName"] = _mac_name(world, mac)
    shown = status.ip_address(world, nic.request, former)
    if shown:
        result["ipAddress"] = shown
    return result


def ip_address(world: World, request: InterfaceRequest, former: NetworkStatusEntry | None) -> str:
    """The address of a NIC as SDN answers for the running instance's pod (D15).

    Without a pod the last one stays as long as its IPAddress backs it (D5, IS-16).
    """
    pods = sorted(world.active_pods, key=lambda pod: not _hosts_instance(world, pod))
    for pod in pods:
        for answer in pod.answers or ():
            if answer.key != request.network or answer.if_name != request.interface:
                continue
            for config in answer.ip_address_configs:
                if config.address and config.name in request.address_names:
                    return config.address
    if former is None or not former.ip_address:
        return ""
    backing = [world.claims.get(name) for name in request.address_names]
    kept = any(claim and claim.status.address == former.ip_address for claim in backing)
    return former.ip_address if kept else ""


def statistics(world: World, phase: str) -> Json:
    """stats: the last phases and when the guest last started."""
    stored = world.vm.status.stats
    transitions: list[Json] = list(stored.get("phasesTransitions") or [])
    last = transitions[-1].get("phase") if transitions else None
    result: Json = {}
    if last != phase:
        transitions.append({"phase": phase, "timestamp": world.now})
        result["phasesTransitions"] = transitions[-REMEMBERED_PHASES:]
        if phase == "Running" and last not in ("Migrating", "Pause"):
            result["lastStartTime"] = world.now
    return result


def resources(raw: Json) -> Json:
    """The resources of the spec in force, for the printer columns."""
    cpu, memory = raw.get("cpu", {}), raw.get("memory", {})
    found: dict[str, Any] = {"cpu": {"cores": cpu.get("cores", 1)}}
    if cpu.get("coreFraction"):
        found["cpu"]["coreFraction"] = cpu["coreFraction"]
    if memory.get("size"):
        found["memory"] = {"size": memory["size"]}
    return found


def _mac_name(world: World, mac: str) -> str:
    named = (name for name, item in sorted(world.macs.items()) if item.status.address == mac)
    return next(named, "")


def _encode(entry: NetworkStatusEntry) -> Json:
    full = {
        "id": entry.id,
        "type": entry.type,
        "name": entry.name,
        "macAddress": entry.mac_address,
        "virtualMachineMACAddressName": entry.mac_name,
        "ipAddress": entry.ip_address,
    }
    return {key: value for key, value in full.items() if value}


def _hosts_instance(world: World, pod: LauncherPod) -> bool:
    node = world.instance.status.node_name if world.instance is not None else ""
    return bool(node) and pod.spec.node_name == node


def _node(world: World) -> str:
    instance = world.live_instance
    if instance is not None and instance.status.node_name:
        return instance.status.node_name
    return next((pod.spec.node_name for pod in world.active_pods), "")


def _pods(world: World) -> list[Json]:
    active = {pod.uid for pod in world.active_pods}
    return [{"name": pod.name, "active": pod.uid in active} for pod in world.pods]


def _guest_info(world: World) -> Json | None:
    if world.instance is None:
        return None
    found: Json = world.instance.raw.get("status", {}).get("guestOSInfo") or {}
    return found or None
