"""The whole decision about one internal VM."""

from __future__ import annotations

from reference_controller.api import kinds
from reference_controller.api.internal import Instance, InternalVM
from reference_controller.api.view import Json, OwnerReference
from reference_controller.api.writes import Delete, MergePatch, Plan, Write, difference

from . import instance as instances
from . import launcher, placement, power, status
from .world import World

FINALIZER = "plumbline.internal/internal-vm-cleanup"
"""The internal VM outlives its instance (seam 2)."""


def decide(world: World) -> Plan:
    """Writes for one internal VM, its instance and its launcher pod."""
    internal, instance = world.internal, world.instance
    if internal is None:
        return Plan(tuple(_orphan(world)))
    writes: list[Write] = []
    again: float | None = None
    if not internal.metadata.deleting and FINALIZER not in internal.metadata.finalizers:
        # The status write below carries the version from before this one; it comes next pass.
        return Plan((_finalizers(internal, [*internal.metadata.finalizers, FINALIZER]),))
    if instance is not None:
        writes += _with_instance(world, internal, instance)
    elif internal.metadata.deleting:
        rest = [item for item in internal.metadata.finalizers if item != FINALIZER]
        return Plan(
            (_finalizers(internal, rest),) if FINALIZER in internal.metadata.finalizers else ()
        )
    elif power.start_wanted(world):
        delay = power.start_delay(world)
        if delay <= 0:
            # What it says of itself comes with the instance: a VM that starts was never `Stopped`.
            return Plan((instances.create(internal),))
        again = delay
    if (prune := instances.prune_template(internal, instance)) is not None:
        return Plan((*writes, prune), again)
    if (report := status.patch(world)) is not None:
        writes.append(report)
    return Plan(tuple(writes), again)


def _with_instance(world: World, internal: InternalVM, instance: Instance) -> list[Write]:
    if instance.metadata.deleting:
        return _end(world, instance)
    if power.stop_wanted(world):
        return [Delete(kinds.INTERNAL_INSTANCE, instance.namespace, instance.name, instance.uid)]
    if instance.status.phase in power.FINAL_PHASES:
        return []
    if (change := instances.synchronise(internal, instance)) is not None:
        return [change]
    pods = [pod for pod in world.pods if _of(pod.metadata.controller, instance)]
    if pods:
        return _report_pods(world, instance)
    if instance.status.active_pods:
        # Its pod was taken away (a forced stop, an eviction): the guest is gone with it.
        return [_status(instance, {"phase": "Failed"})]
    node = placement.choose(world.nodes, instance.spec.node_selector)
    return [launcher.create(instance, node)] if node is not None else []


def _report_pods(world: World, instance: Instance) -> list[Write]:
    """activePods and nodeName, and the phases before the node agent takes over."""
    active = {
        pod.uid: pod.spec.node_name
        for pod in world.pods
        if not pod.metadata.deleting and not pod.finished and _of(pod.metadata.controller, instance)
    }
    stored = instance.raw.get("status") or {}
    target: Json = {}
    if stored.get("activePods") != active:
        # Merge patch keeps keys that it does not name, so departed pods are named with null.
        departed = {uid: None for uid in stored.get("activePods") or {} if uid not in active}
        target["activePods"] = {**active, **departed}
    if not stored.get("nodeName") and len(active) == 1:
        target["nodeName"] = next(iter(active.values()))
    if instance.status.phase in ("", "Pending", "Scheduling"):
        target["phase"] = "Scheduled"
    changes = difference(stored, target)
    return [_status(instance, changes)] if changes else []


def _status(instance: Instance, changes: Json) -> MergePatch:
    return MergePatch(
        kinds.INTERNAL_INSTANCE,
        instance.namespace,
        instance.name,
        {"status": changes},
        resource_version=instance.metadata.resource_version,
    )


def _end(world: World, instance: Instance) -> list[Write]:
    """End the pods of an instance that goes; let it go when the last one is gone."""
    pods = [pod for pod in world.pods if _of(pod.metadata.controller, instance)]
    if pods:
        return [
            Delete(kinds.POD, pod.namespace, pod.name, pod.uid)
            for pod in pods
            if not pod.metadata.deleting
        ]
    rest = [item for item in instance.metadata.finalizers if item != instances.FINALIZER]
    if len(rest) == len(instance.metadata.finalizers):
        return []
    return [
        MergePatch(
            kinds.INTERNAL_INSTANCE,
            instance.namespace,
            instance.name,
            {"metadata": {"finalizers": rest}},
            resource_version=instance.metadata.resource_version,
        )
    ]


def _orphan(world: World) -> list[Write]:
    """An instance whose internal VM is gone ends, too."""
    instance = world.instance
    if instance is None:
        return []
    if instance.metadata.deleting:
        return _end(world, instance)
    return [Delete(kinds.INTERNAL_INSTANCE, instance.namespace, instance.name, instance.uid)]


def _finalizers(internal: InternalVM, finalizers: list[str]) -> MergePatch:
    return MergePatch(
        kinds.INTERNAL_VM,
        internal.namespace,
        internal.name,
        {"metadata": {"finalizers": finalizers}},
        resource_version=internal.metadata.resource_version,
    )


def _of(controller: OwnerReference | None, instance: Instance) -> bool:
    return controller is not None and controller.uid == instance.uid
