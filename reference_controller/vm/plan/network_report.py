"""The condition NetworkReady (spec 2.3, 5.4, D2): all that keeps a network from the guest."""

from __future__ import annotations

from reference_controller.api import conditions, networks
from reference_controller.api.conditions import Condition
from reference_controller.api.internal import LauncherPod
from reference_controller.api.networks import NetworkEntry

from . import network_report
from .comparator import Verdict
from .interfaces import Desired, Nic
from .world import World

READY = "NetworkReady"
NOT_READY = "NetworkNotReady"
DISABLED = "SDNModuleDisabled"


def report(world: World, verdict: Verdict, desired: Desired) -> list[Condition]:
    """NetworkReady, or nothing for a VM that has only Main."""
    entries = networks.additional(verdict.spec.networks)
    if not entries:
        return []
    generation = world.vm.metadata.generation
    if not world.settings.sdn_enabled:
        message = "additional networks need the SDN module, which is switched off"
        return [conditions.wanted(READY, "False", DISABLED, message, generation)]
    problems = network_report.problems(world, entries, desired)
    if problems:
        return [conditions.wanted(READY, "False", NOT_READY, "; ".join(problems), generation)]
    return [conditions.wanted(READY, "True", READY, "", generation)]


def problems(world: World, entries: tuple[NetworkEntry, ...], desired: Desired) -> list[str]:
    """Everything that is wrong, in spec order."""
    found = []
    unready = network_report.unready(world, entries)
    if unready:
        found.append("not Ready or not found: " + ", ".join(unready))
    if not world.active_pods:
        # Nothing else can be said of a VM without a pod (HP-16).
        return [*found, "waiting for the pod of the virtual machine"]
    requested = [nic for nic in desired.nics if f"{nic.key}" not in unready]
    pods = [text for pod in world.active_pods if (text := network_report.pod(pod, requested))]
    if pods:
        found.append(". ".join(pods))
    found += network_report.left_out(entries, desired, unready)
    return found


def unready(world: World, entries: tuple[NetworkEntry, ...]) -> list[str]:
    """The networks that are missing or not Ready."""
    result = []
    for entry in entries:
        network = world.networks.get(entry.key)
        if network is None or not network.ready:
            result.append(str(entry.key))
    return result


def pod(pod: LauncherPod, requested: list[Nic]) -> str:
    """What one pod lacks of the `requested` interfaces; empty when all are healthy."""
    if not requested:
        return ""
    answers = pod.answers
    if answers is None:
        if pod.status.phase != "Running":
            return f"[{pod.name}]: the pod is not started"
        return f"[{pod.name}]: no answer of SDN"
    parts = []
    for nic in requested:
        mine = [answer for answer in answers if answer.answers(nic.request)]
        if not mine or not mine[0].conditions:
            parts.append(f"({nic.key}): waiting for the answer of SDN")
            continue
        bad = [
            condition.message or condition.reason
            for condition in mine[0].conditions
            if not condition.true
        ]
        if bad:
            parts.append(f"({nic.key}): " + "; ".join(bad))
    return f"[{pod.name}]: " + ", ".join(parts) if parts else ""


def left_out(entries: tuple[NetworkEntry, ...], desired: Desired, unready: list[str]) -> list[str]:
    """Causes of addresses and MACs, also under a running NIC (D32), one for each network."""
    result = []
    for entry in entries:
        if str(entry.key) in unready:
            continue
        choice, provision = desired.choices.get(entry.key), desired.provisions.get(entry.key)
        if provision is not None and provision.problem:
            result.append(provision.problem)
        elif choice is not None and choice.problem:
            result.append(choice.problem)
        elif cause := desired.left_out.get(entry.key):
            result.append(cause)
    return result
