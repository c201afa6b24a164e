"""What a kubelet writes about the pod, and how it lets it go."""

from __future__ import annotations

from reference_controller.api import conditions, kinds, names
from reference_controller.api.conditions import Condition
from reference_controller.api.view import Json
from reference_controller.api.writes import Delete, MergePatch, Write, difference

from . import leases
from .world import World

OWNED = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
EXIT_CODES = {"Succeeded": 0, "Failed": 1}


def status(world: World) -> MergePatch | None:
    """The status write, or None when everything stands there already."""
    pod, guest = world.pod, world.guest
    if pod is None or guest is None or pod.finished or pod.metadata.deleting:
        return None
    stored = pod.raw.get("status") or {}
    phase = guest.ended or "Running"
    started = stored.get("startTime") or world.now
    target: Json = {
        "phase": phase,
        "startTime": started,
        "conditions": _conditions(world, stored, phase == "Running"),
        "containerStatuses": _containers(world, stored, phase, started),
    }
    if (address := leases.main_address(world)) is not None:
        target |= {"podIP": str(address), "podIPs": [{"ip": str(address)}]}
    changes = difference(stored, target)
    if not changes:
        return None
    return MergePatch(kinds.POD, pod.namespace, pod.name, {"status": changes}, status=True)


def release(world: World) -> list[Write]:
    """Let a pod go whose guest has ended: its protection first, then, if it is deleted, itself."""
    pod = world.pod
    if pod is None or (world.guest is not None and not world.guest.ended):
        return []
    writes: list[Write] = []
    finalizers = pod.metadata.finalizers
    if names.POD_FINALIZER in finalizers and (pod.finished or pod.metadata.deleting):
        rest = [item for item in finalizers if item != names.POD_FINALIZER]
        writes.append(
            MergePatch(
                kinds.POD,
                pod.namespace,
                pod.name,
                {"metadata": {"finalizers": rest}},
                resource_version=pod.metadata.resource_version,
            )
        )
    if pod.metadata.deleting:
        writes.append(Delete(kinds.POD, pod.namespace, pod.name, pod.uid, grace_seconds=0))
    return writes


def _conditions(world: World, stored: Json, running: bool) -> list[Json]:
    ready = (
        conditions.wanted("Ready", "True", "GuestRunning")
        if running
        else conditions.wanted("Ready", "False", "PodCompleted")
    )
    wanted: list[Condition] = [
        conditions.wanted("PodScheduled", "True", "Bound"),
        conditions.wanted("Initialized", "True", "NothingToPrepare"),
        ready.model_copy(update={"type": "ContainersReady"}),
        ready,
    ]
    old = stored.get("conditions") or []
    merged = conditions.merge(old, wanted, OWNED, world.now)
    return [_as_pod_condition(one) if one["type"] in OWNED else one for one in merged]


def _as_pod_condition(condition: Json) -> Json:
    """The condition as the API server stores it; any other form would differ for ever."""
    told = {key: value for key, value in condition.items() if value not in ("", 0)}
    return {"lastProbeTime": None, **told}


def _containers(world: World, stored: Json, phase: str, started: str) -> list[Json]:
    image = "plumbline.internal/launcher"
    container: Json = {
        "name": "compute",
        "image": image,
        "imageID": image,
        "containerID": f"guest://{world.uid}",
        "restartCount": 0,
        "ready": phase == "Running",
        "started": phase == "Running",
        "state": {"running": {"startedAt": started}},
        "lastState": {},
    }
    if phase != "Running":
        container["state"] = {"terminated": _terminated(world, stored, phase, started)}
    return [container]


def _terminated(world: World, stored: Json, phase: str, started: str) -> Json:
    old: Json = {}
    for container in stored.get("containerStatuses") or []:
        old = (container.get("state") or {}).get("terminated") or {}
    return {
        "exitCode": EXIT_CODES[phase],
        "reason": "Completed" if phase == "Succeeded" else "Error",
        "startedAt": started,
        "finishedAt": old.get("finishedAt") or world.now,
        "containerID": f"guest://{world.uid}",
    }
