"""Deleting a VM: first its guest, then what it held, then itself (LC-04, B26, B30)."""

from __future__ import annotations

from reference_controller.api import kinds, names, writes
from reference_controller.api.view import Json, Object
from reference_controller.api.writes import Delete, MergePatch, Write

from . import release
from .world import World


def reconcile(world: World) -> tuple[Write, ...]:
    """The next step on the way out; the finalizer goes last."""
    machine = world.vm
    if names.VM_FINALIZER not in machine.metadata.finalizers:
        return ()
    steps: list[Write] = []
    if world.internal is not None and not world.internal.metadata.deleting:
        internal = world.internal
        steps.append(Delete(kinds.INTERNAL_VM, world.namespace, world.name, internal.uid))
    if world.internal is not None or world.instance is not None or world.pods:
        return (*steps, *_terminating(world))
    return (
        *release.everything(world),
        without_finalizer(kinds.VIRTUAL_MACHINE, machine, names.VM_FINALIZER),
    )


def with_finalizer(kind: kinds.Kind, item: Object, finalizer: str) -> MergePatch:
    """The patch that adds a finalizer to what others have put there."""
    return _finalizers(kind, item, [*item.metadata.finalizers, finalizer])


def without_finalizer(kind: kinds.Kind, item: Object, *finalizers: str) -> MergePatch:
    """The patch that takes finalizers away and leaves those of others."""
    kept = [entry for entry in item.metadata.finalizers if entry not in finalizers]
    return _finalizers(kind, item, kept)


def _finalizers(kind: kinds.Kind, item: Object, finalizers: list[str]) -> MergePatch:
    body: Json = {"metadata": {"finalizers": finalizers or None}}
    version = item.metadata.resource_version
    return MergePatch(kind, item.namespace, item.name, body, resource_version=version)


def _terminating(world: World) -> tuple[Write, ...]:
    machine = world.vm
    target: Json = {
        "phase": "Terminating",
        "observedGeneration": machine.metadata.generation,
    }
    patch = writes.difference(machine.raw.get("status", {}), target)
    if not patch:
        return ()
    version = machine.metadata.resource_version
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
