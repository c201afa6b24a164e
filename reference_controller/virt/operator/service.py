"""The process of virt: watches, the work queue and the writes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from reference_controller.api import kinds, names
from reference_controller.api.internal import LauncherPod
from reference_controller.api.view import Object
from reference_controller.runtime import logs, process
from reference_controller.runtime.client import Client
from reference_controller.runtime.executor import Executor
from reference_controller.runtime.operator import Operator, Watch
from reference_controller.runtime.queue import Key, Outcome
from reference_controller.runtime.store import Store
from reference_controller.virt.plan import machine

from . import gather


def main() -> None:
    """Run virt until it is told to stop."""
    parser = argparse.ArgumentParser(prog="reference_controller.virt", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API server")
    arguments = parser.parse_args()
    logs.configure("virt")
    process.run(serve(arguments.kubeconfig))


async def serve(kubeconfig: str) -> None:
    """Watch, decide, write."""
    store = Store(gather.VIEWS, gather.INDEXES)
    async with Client(kubeconfig) as client:
        executor = Executor(client, store, "virt")

        async def reconcile(key: Key) -> Outcome:
            namespace, name = key
            return await executor.carry_out(machine.decide(gather.world(store, namespace, name)))

        await Operator(kubeconfig, client, store, _watches(store), reconcile).run()


def _watches(store: Store) -> Iterable[Watch]:
    def same_name(view: Object) -> Iterable[Key]:
        return [(view.namespace, view.name)]

    def of_pod(pod: LauncherPod) -> Iterable[Key]:
        return [(pod.namespace, pod.machine)] if pod.machine else []

    def unplaced(_: Object) -> Iterable[Key]:
        """A node's change matters to the instances that have no pod yet."""
        return [
            (namespace, name)
            for namespace, name in store.identities(kinds.INTERNAL_INSTANCE)
            if not store.find(kinds.POD, LauncherPod, "machine", f"{namespace}/{name}")
        ]

    return (
        Watch(kinds.NODE, unplaced, {names.VM_NODE_LABEL: "true"}),
        Watch(kinds.POD, of_pod, gather.launcher_labels()),
        Watch(kinds.INTERNAL_INSTANCE, same_name),
        Watch(kinds.INTERNAL_VM, same_name),
        Watch(kinds.VIRTUAL_MACHINE, same_name),
    )
