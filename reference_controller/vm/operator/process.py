"""The running controller: store, watches, workers, admission server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import kopf

from reference_controller.api.writes import Plan
from reference_controller.runtime.client import Client
from reference_controller.runtime.executor import Executor, now
from reference_controller.runtime.operator import Operator
from reference_controller.runtime.queue import Key, Outcome
from reference_controller.vm.plan import (
    mac_addresses,
    mac_leases,
    machine,
    main_addresses,
    main_leases,
)
from reference_controller.vm.plan.world import Settings

from . import admission, indexes, watches
from .worlds import Worlds

COMPONENT = "vm"


@dataclass(frozen=True)
class Server:
    """Where admission is served: directory with tls.crt, tls.key and ca.crt, and the port."""

    certificates: Path
    port: int


def decide(worlds: Worlds, key: Key, moment: str) -> Plan:
    """The plan for one key."""
    sort, namespace, name = key
    match sort:
        case watches.MACHINE:
            return machine.reconcile(worlds.machine(namespace, name, moment))
        case watches.ADDRESS:
            return main_addresses.reconcile(worlds.address(namespace, name, moment))
        case watches.ADDRESS_LEASE:
            return main_leases.reconcile(worlds.address_lease(name, moment))
        case watches.MAC:
            return mac_addresses.reconcile(worlds.mac(namespace, name, moment))
        case watches.MAC_LEASE:
            return mac_leases.reconcile(worlds.mac_lease(name, moment))
    raise LookupError(f"key {key!r} is of no known sort")


async def run(kubeconfig: str, settings: Settings, server: Server | None) -> None:
    """Serve until SIGTERM or SIGINT; without `server` no admission is served."""
    async with Client(kubeconfig) as client:
        store = indexes.store()
        worlds = Worlds(store, settings)
        executor = Executor(client, store, COMPONENT)
        registry = kopf.OperatorRegistry()
        options = kopf.OperatorSettings()
        if server is not None:
            admission.register(registry, admission.Reviewer(client, worlds))
            options.admission.managed = None
            options.admission.server = kopf.WebhookServer(
                addr="127.0.0.1",
                host="127.0.0.1",
                port=server.port,
                cafile=str(server.certificates / "ca.crt"),
                certfile=str(server.certificates / "tls.crt"),
                pkeyfile=str(server.certificates / "tls.key"),
            )

        async def reconcile(key: Key) -> Outcome:
            return await executor.carry_out(decide(worlds, key, now()))

        watched = watches.Wakes(store).watches()
        operator = Operator(kubeconfig, client, store, watched, reconcile, registry, options)
        await operator.run()
