"""Worlds of networks and pools, from the store."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable

from reference_controller.api import kinds, names
from reference_controller.api.internal import LauncherPod
from reference_controller.api.kinds import Kind
from reference_controller.api.sdn import (
    AddressPool,
    IPAddress,
    IPAddressLease,
    NetworkAttachment,
    NetworkObject,
)
from reference_controller.api.view import Object
from reference_controller.runtime.executor import now
from reference_controller.runtime.store import Index, Store
from reference_controller.sdn.plan import allocation, leases, network

NETWORK_KINDS = {
    kinds.NETWORK.kind: kinds.NETWORK,
    kinds.CLUSTER_NETWORK.kind: kinds.CLUSTER_NETWORK,
}
POOL_KINDS = {
    kinds.IP_ADDRESS_POOL.kind: kinds.IP_ADDRESS_POOL,
    kinds.CLUSTER_IP_ADDRESS_POOL.kind: kinds.CLUSTER_IP_ADDRESS_POOL,
}

VIEWS: dict[Kind, type[Object]] = {
    kinds.NETWORK: NetworkObject,
    kinds.CLUSTER_NETWORK: NetworkObject,
    kinds.NETWORK_ATTACHMENT: NetworkAttachment,
    kinds.IP_ADDRESS: IPAddress,
    kinds.IP_ADDRESS_LEASE: IPAddressLease,
    kinds.IP_ADDRESS_POOL: AddressPool,
    kinds.CLUSTER_IP_ADDRESS_POOL: AddressPool,
    kinds.POD: LauncherPod,
    kinds.NODE: Object,
}


def scope(kind: str, namespace: str) -> str:
    """The namespace of an object of `kind` that something in `namespace` refers to."""
    clusterwide = (kinds.CLUSTER_NETWORK.kind, kinds.CLUSTER_IP_ADDRESS_POOL.kind)
    return "" if kind in clusterwide else namespace


def path(kind: str, namespace: str, name: str) -> str:
    """The value by which an index finds references to an object."""
    return f"{kind}/{scope(kind, namespace)}/{name}"


def _attached(attachment: NetworkAttachment) -> Iterable[str]:
    reference = attachment.spec.network_ref
    return [
        path(reference.get("kind", ""), reference.get("namespace", ""), reference.get("name", ""))
    ]


def _pool(found: NetworkObject) -> Iterable[str]:
    pool = found.spec.ipam.pool
    return [path(pool.kind, found.namespace, pool.name)] if pool.name else []


def _network(claim: IPAddress) -> Iterable[str]:
    return [path(claim.network.type, claim.namespace, claim.network.name)]


def _pool_label(lease: IPAddressLease) -> Iterable[str]:
    return [lease.metadata.labels.get(leases.POOL_LABEL, "")]


INDEXES = (
    Index(kinds.NETWORK_ATTACHMENT, "network", _attached),
    Index(kinds.NETWORK, "pool", _pool),
    Index(kinds.CLUSTER_NETWORK, "pool", _pool),
    Index(kinds.IP_ADDRESS, "network", _network),
    Index(kinds.IP_ADDRESS_LEASE, "pool", _pool_label),
)


def network_world(store: Store, kind: str, namespace: str, name: str) -> network.World:
    """A network, its attachments and the nodes that should have one."""
    found = store.find(
        kinds.NETWORK_ATTACHMENT, NetworkAttachment, "network", path(kind, namespace, name)
    )
    return network.World(
        network=store.get(NETWORK_KINDS[kind], NetworkObject, namespace, name),
        attachments=tuple(found),
        nodes=tuple(node.name for node in store.all(kinds.NODE, Object)),
        now=now(),
    )


def pool_world(store: Store, pool: AddressPool) -> allocation.World:
    """A pool with the claims of all its networks and the use that pods make of them."""
    where = path(pool.kind, pool.namespace, pool.name)
    claims = [
        claim
        for kind in NETWORK_KINDS.values()
        for found in store.find(kind, NetworkObject, "pool", where)
        for claim in store.find(
            kinds.IP_ADDRESS, IPAddress, "network", path(found.kind, found.namespace, found.name)
        )
    ]
    in_use, pods = _use(store)
    return allocation.World(
        pool=pool,
        claims=tuple(claims),
        leases=tuple(
            store.find(kinds.IP_ADDRESS_LEASE, IPAddressLease, "pool", leases.pool_key(pool))
        ),
        in_use=in_use,
        pods=pods,
        now=datetime.datetime.now(datetime.UTC),
    )


def _use(
    store: Store,
) -> tuple[frozenset[tuple[str, str, str]], dict[tuple[str, str], tuple[str, ...]]]:
    in_use: set[tuple[str, str, str]] = set()
    pods: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pod in store.all(kinds.POD, LauncherPod):
        if not pod.machine or pod.finished:
            continue
        for answer in pod.answers or ():
            for config in answer.ip_address_configs:
                in_use.add((pod.namespace, config.name, config.address.partition("/")[0]))
                pods[pod.namespace, config.name].append(pod.name)
    return frozenset(in_use), {claim: tuple(sorted(users)) for claim, users in pods.items()}


def node_labels() -> dict[str, str]:
    """The selector of nodes that run guests."""
    return {names.VM_NODE_LABEL: "true"}
