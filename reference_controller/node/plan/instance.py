"""What the node agent writes into the instance (VMI): phase, interfaces, conditions (seam)."""

from __future__ import annotations

from reference_controller.api import conditions, kinds
from reference_controller.api.conditions import Condition
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, difference

from . import interfaces
from .world import Guest, World

OWNED = ("Ready", "AgentConnected")
FINAL_PHASES = ("Succeeded", "Failed")


def patch(world: World) -> MergePatch | None:
    """The write, or None when everything stands there already (AS-08)."""
    pod, instance, guest = world.pod, world.instance, world.guest
    if pod is None or instance is None or guest is None:
        return None
    if instance.status.phase in FINAL_PHASES:
        return None
    stored = instance.raw.get("status") or {}
    changes = difference(stored, _target(world, guest, stored))
    if not changes:
        return None
    return MergePatch(
        kinds.INTERNAL_INSTANCE,
        instance.namespace,
        instance.name,
        {"status": changes},
        resource_version=instance.metadata.resource_version,
    )


def _target(world: World, guest: Guest, stored: Json) -> Json:
    pod = world.pod
    assert pod is not None
    merged = conditions.merge(stored.get("conditions") or [], _conditions(guest), OWNED, world.now)
    if guest.ended:
        return {"phase": guest.ended, "conditions": merged}
    target: Json = {
        "phase": "Running",
        "nodeName": pod.spec.node_name,
        "interfaces": interfaces.decide(world),
        "conditions": merged,
    }
    if guest.system:
        target["guestOSInfo"] = dict(guest.system)
    return target


def _conditions(guest: Guest) -> list[Condition]:
    if guest.ended:
        return [conditions.wanted("Ready", "False", "GuestNotRunning", "the guest has ended")]
    wanted = [conditions.wanted("Ready", "True", "GuestRunning")]
    if guest.agent_open:
        wanted.append(conditions.wanted("AgentConnected", "True", "AgentConnected"))
    return wanted
