"""The phase of a VM and what the instance says of its guest (spec 2.6, 2.7, 9)."""

from __future__ import annotations

from typing import Any

from reference_controller.api import conditions, names
from reference_controller.api.conditions import Condition

from . import lifecycle
from .world import World

PHASES = {
    "Starting": "Starting",
    "Provisioning": "Starting",
    "Running": "Running",
    "Paused": "Pause",
    "Stopping": "Stopping",
    "Terminating": "Terminating",
    "Migrating": "Migrating",
    "WaitingForReceiver": "Migrating",
    "Stopped": "Stopped",
}
"""printableStatus of the internal VM -> phase; everything else is Pending."""

START_PHASES = ("Pending", "Starting", "Stopped")
"""Phases in which no guest runs: edits need neither restart nor hotplug (spec 2.4, 2.5)."""

POD_REASONS = {"PodTerminating", "PodNotExists", "PodConditionMissing", "GuestNotRunning"}


def started(world: World) -> bool:
    """Whether there is a guest that an edit would have to reach."""
    instance = world.live_instance
    return instance is not None and instance.status.phase == "Running"


def phase(world: World) -> str:
    """status.phase."""
    if world.vm.metadata.deleting:
        return "Terminating"
    if world.internal is None:
        return "Pending"
    found = PHASES.get(world.internal.status.printable_status, "Pending")
    if found == "Stopped" and lifecycle.start_expected(world):
        return "Pending"
    return found


def start_expected(world: World) -> bool:
    """Whether a stopped VM will be started without anybody asking (spec 9)."""
    policy = world.vm.spec.run_policy
    if policy == "AlwaysOn":
        return True
    if policy != "AlwaysOnUnlessStoppedManually" or world.internal is None:
        return False
    if world.internal.spec.run_strategy != "Manual":
        return True
    ordered = names.RESTART_REQUESTED in world.internal.metadata.annotations
    return ordered or "Start" in requested_actions(world)


def requested_actions(world: World) -> tuple[str, ...]:
    """The actions of the internal VM's pending stateChangeRequests, in order."""
    if world.internal is None:
        return ()
    requests: tuple[dict[str, Any], ...] = world.internal.status.state_change_requests
    return tuple(str(request.get("action", "")) for request in requests)


def running(world: World, phase: str) -> Condition:
    """The condition Running (spec 2.6)."""
    status, reason, message = lifecycle.running_state(world, phase)
    return conditions.wanted(
        "Running",
        "True" if status else "False",
        reason,
        message,
        world.vm.metadata.generation,
    )


def running_state(world: World, phase: str) -> tuple[bool, str, str]:
    """Status, reason and message of Running, first match of the table."""
    for pod in world.active_pods:
        if pod.status.message:
            return False, "PodNotStarted", f"pod {pod.name}: {pod.status.message}"
        scheduled = conditions.find(pod.status.conditions, "PodScheduled")
        if scheduled is not None and scheduled.status == "False":
            return (
                False,
                "PodNotStarted",
                f"pod {pod.name}: {scheduled.message or scheduled.reason}",
            )
    status = world.internal.status.printable_status if world.internal is not None else ""
    if status.startswith(("Error", "FailedCreate", "CrashLoop", "ImagePull", "ErrImage")):
        return False, "PodNotStarted", f"the internal virtual machine reports {status}"
    if status == "Unknown":
        return False, "InternalVirtualMachineError", "the internal virtual machine reports Unknown"
    instance = world.instance
    reported = instance.status.conditions if instance is not None else ()
    if phase == "Running":
        boot = conditions.find(reported, "BootFailed")
        if boot is not None and boot.true:
            return False, "NoBootableDevice", boot.message or "the guest found nothing to boot from"
        return True, "Running", ""
    ready = conditions.find(reported, "Ready")
    if ready is not None and not ready.true and ready.reason in POD_REASONS:
        reason = "PodNotFound" if ready.reason == "PodNotExists" else ready.reason
        return False, reason, ready.message
    return False, "NotRunning", f"the virtual machine is in phase {phase}"


def agent(world: World, phase: str) -> list[Condition]:
    """AgentReady, and AgentVersionNotSupported where the agent is too old (spec 2.7)."""
    if phase in START_PHASES or world.instance is None:
        return []
    reported = world.instance.status.conditions
    generation = world.vm.metadata.generation
    connected = conditions.holds(reported, "AgentConnected")
    ready = conditions.wanted(
        "AgentReady",
        "True" if connected else "False",
        "AgentReady" if connected else "AgentNotReady",
        "" if connected else "the guest agent is not connected",
        generation,
    )
    old = conditions.find(reported, "AgentVersionNotSupported")
    if old is None or not old.true:
        return [ready]
    reason = "AgentVersionNotSupported"
    return [ready, conditions.wanted(reason, "True", reason, old.message, generation)]


def migratable(world: World) -> list[Condition]:
    """Migratable, as the instance reports it (printer column of spec 1.1)."""
    reported = world.instance.status.conditions if world.instance is not None else ()
    live = conditions.find(reported, "LiveMigratable")
    if live is None:
        return []
    reason = "VirtualMachineMigratable" if live.true else "VirtualMachineNonMigratable"
    return [
        conditions.wanted(
            "Migratable",
            "True" if live.true else "False",
            reason,
            live.message,
            world.vm.metadata.generation,
        )
    ]
