"""The world of one internal VM, from the store."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from reference_controller.api import conditions, kinds, names
from reference_controller.api.conditions import Condition
from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Object, View
from reference_controller.runtime.store import Index, Store
from reference_controller.virt.plan.world import Node, World

DEFAULT_SLOTS = 110
"""Guests on a node that states no limit: a kubelet's default number of pods."""


class NodeStatus(View):
    """status of a Node."""

    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str] | None = None


class NodeObject(Object):
    """A Node."""

    status: NodeStatus = NodeStatus()


VIEWS: dict[kinds.Kind, type[Object]] = {
    kinds.INTERNAL_VM: InternalVM,
    kinds.INTERNAL_INSTANCE: Instance,
    kinds.POD: LauncherPod,
    kinds.VIRTUAL_MACHINE: VirtualMachine,
    kinds.NODE: NodeObject,
}


def _machine(pod: LauncherPod) -> Iterable[str]:
    return [f"{pod.namespace}/{pod.machine}"] if pod.machine else []


def _node(pod: LauncherPod) -> Iterable[str]:
    return [pod.spec.node_name] if pod.machine and not pod.finished else []


INDEXES = (Index(kinds.POD, "machine", _machine), Index(kinds.POD, "node", _node))


def world(store: Store, namespace: str, name: str) -> World:
    """Everything a decision about `namespace/name` is made from."""
    pods = store.find(kinds.POD, LauncherPod, "machine", f"{namespace}/{name}")
    return World(
        internal=store.get(kinds.INTERNAL_VM, InternalVM, namespace, name),
        instance=store.get(kinds.INTERNAL_INSTANCE, Instance, namespace, name),
        pods=tuple(sorted(pods, key=lambda pod: (pod.metadata.creation_timestamp, pod.name))),
        machine=store.get(kinds.VIRTUAL_MACHINE, VirtualMachine, namespace, name),
        nodes=tuple(_nodes(store)),
        now=datetime.datetime.now(datetime.UTC),
    )


def _nodes(store: Store) -> Iterable[Node]:
    for node in store.all(kinds.NODE, NodeObject):
        guests = store.find(kinds.POD, LauncherPod, "node", node.name)
        allocatable = node.status.allocatable or {}
        yield Node(
            name=node.name,
            labels=node.metadata.labels,
            ready=conditions.holds(node.status.conditions, "Ready") and not node.metadata.deleting,
            guests=len(guests),
            slots=int(allocatable.get("pods", DEFAULT_SLOTS)),
        )


def launcher_labels() -> dict[str, str]:
    """The selector of launcher pods."""
    return {names.LAUNCHER_LABEL: names.LAUNCHER_LABEL_VALUE}
