"""The process of sdn: watches, the work queue and the writes.

Keys are `("network", kind, namespace, name)`, `("pool", kind, namespace, name)` and, for a
claim whose network is missing or has no pool, `("claim", namespace, name)`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from reference_controller.api import kinds, names
from reference_controller.api.internal import LauncherPod
from reference_controller.api.sdn import (
    AddressPool,
    IPAddress,
    IPAddressLease,
    NetworkAttachment,
    NetworkObject,
)
from reference_controller.api.view import Object
from reference_controller.api.writes import Plan
from reference_controller.runtime import logs, process
from reference_controller.runtime.client import Client
from reference_controller.runtime.executor import Executor, now
from reference_controller.runtime.operator import Operator, Watch
from reference_controller.runtime.queue import Key, Outcome
from reference_controller.runtime.store import Store
from reference_controller.sdn.plan import allocation, claims, leases, network

from . import gather


def main() -> None:
    """Run sdn until it is told to stop."""
    parser = argparse.ArgumentParser(prog="reference_controller.sdn", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API server")
    arguments = parser.parse_args()
    logs.configure("sdn")
    process.run(serve(arguments.kubeconfig))


async def serve(kubeconfig: str) -> None:
    """Watch, decide, write."""
    store = Store(gather.VIEWS, gather.INDEXES)
    async with Client(kubeconfig) as client:
        executor = Executor(client, store, "sdn")

        async def reconcile(key: Key) -> Outcome:
            return await executor.carry_out(decide(store, key))

        await Operator(kubeconfig, client, store, watches(store), reconcile).run()


def decide(store: Store, key: Key) -> Plan:
    """The plan for one key."""
    sort, *rest = key
    if sort == "network":
        kind, namespace, name = rest
        return network.decide(gather.network_world(store, kind, namespace, name))
    if sort == "pool":
        kind, namespace, name = rest
        pool = store.get(gather.POOL_KINDS[kind], AddressPool, namespace, name)
        return allocation.decide(gather.pool_world(store, pool)) if pool is not None else Plan()
    namespace, name = rest
    claim = store.get(kinds.IP_ADDRESS, IPAddress, namespace, name)
    refusal = _no_pool(store, claim) if claim is not None else None
    if claim is None or refusal is None:
        return Plan()
    patch = claims.pending(claim, refusal, now())
    return Plan((patch,) if patch else ())


def _no_pool(store: Store, claim: IPAddress) -> claims.Refusal | None:
    found = _network(store, claim)
    if found is None:
        return claims.Refusal("NetworkNotFound", f"{claim.network} does not exist")
    if not found.pooled:
        return claims.Refusal("NetworkWithoutPool", f"{claim.network} names no address pool")
    pool = found.spec.ipam.pool
    kind = gather.POOL_KINDS.get(pool.kind)
    where = gather.scope(pool.kind, found.namespace)
    if kind is None or store.get(kind, AddressPool, where, pool.name) is None:
        return claims.Refusal("PoolNotFound", f"{pool.kind}/{pool.name} does not exist")
    return None


def _network(store: Store, claim: IPAddress) -> NetworkObject | None:
    kind = gather.NETWORK_KINDS.get(claim.network.type)
    if kind is None:
        return None
    namespace = gather.scope(claim.network.type, claim.namespace)
    return store.get(kind, NetworkObject, namespace, claim.network.name)


def watches(store: Store) -> Iterable[Watch]:
    """What is watched, and whom each object wakes."""

    def of_network(view: NetworkObject) -> Iterable[Key]:
        yield ("network", view.kind, view.namespace, view.name)
        yield from _pool_of(view)
        where = gather.path(view.kind, view.namespace, view.name)
        for claim in store.find(kinds.IP_ADDRESS, IPAddress, "network", where):
            yield ("claim", claim.namespace, claim.name)

    def of_attachment(view: NetworkAttachment) -> Iterable[Key]:
        ref = view.spec.network_ref
        if ref.get("kind") in gather.NETWORK_KINDS:
            yield ("network", ref["kind"], ref.get("namespace", ""), ref.get("name", ""))

    def of_node(_: Object) -> Iterable[Key]:
        for kind in gather.NETWORK_KINDS.values():
            for namespace, name in store.identities(kind):
                yield ("network", kind.kind, namespace, name)

    def of_claim(view: IPAddress) -> Iterable[Key]:
        found = _network(store, view)
        if found is not None:
            yield from _pool_of(found)
        yield ("claim", view.namespace, view.name)

    def of_pool(view: AddressPool) -> Iterable[Key]:
        yield ("pool", view.kind, view.namespace, view.name)
        for claim in gather.pool_world(store, view).claims:
            yield ("claim", claim.namespace, claim.name)

    def of_lease(view: IPAddressLease) -> Iterable[Key]:
        for kind in gather.POOL_KINDS.values():
            for pool in store.all(kind, AddressPool):
                if leases.pool_key(pool) == view.metadata.labels.get(leases.POOL_LABEL):
                    yield ("pool", pool.kind, pool.namespace, pool.name)

    def of_pod(view: LauncherPod) -> Iterable[Key]:
        for answer in view.answers or ():
            for config in answer.ip_address_configs:
                claim = store.get(kinds.IP_ADDRESS, IPAddress, view.namespace, config.name)
                if claim is not None:
                    yield from of_claim(claim)
                else:
                    yield from _pools(store)

    launcher = {names.LAUNCHER_LABEL: names.LAUNCHER_LABEL_VALUE}
    return (
        Watch(kinds.NODE, of_node, gather.node_labels()),
        Watch(kinds.POD, of_pod, launcher),
        Watch(kinds.NETWORK_ATTACHMENT, of_attachment),
        Watch(kinds.IP_ADDRESS_POOL, of_pool),
        Watch(kinds.CLUSTER_IP_ADDRESS_POOL, of_pool),
        Watch(kinds.IP_ADDRESS_LEASE, of_lease),
        Watch(kinds.NETWORK, of_network),
        Watch(kinds.CLUSTER_NETWORK, of_network),
        Watch(kinds.IP_ADDRESS, of_claim),
    )


def _pool_of(view: NetworkObject) -> Iterable[Key]:
    pool = view.spec.ipam.pool
    if view.pooled and pool.kind in gather.POOL_KINDS:
        yield ("pool", pool.kind, gather.scope(pool.kind, view.namespace), pool.name)


def _pools(store: Store) -> Iterable[Key]:
    """Every pool: a pod stopped using an address whose claim is gone already."""
    for kind in gather.POOL_KINDS.values():
        for namespace, name in store.identities(kind):
            yield ("pool", kind.kind, namespace, name)
