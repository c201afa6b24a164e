"""Looks at the store and the drivers, and makes of it what plans decide from."""

from __future__ import annotations

from collections.abc import Iterable

from reference_controller.api import kinds, names
from reference_controller.api.internal import Instance, LauncherPod
from reference_controller.api.networks import NetworkKey
from reference_controller.api.sdn import IPAddress, NetworkAttachment, NetworkObject
from reference_controller.api.view import Object
from reference_controller.node.drivers.dhcp import Responder
from reference_controller.node.drivers.links import Links
from reference_controller.node.plan.world import (
    NetworkWorld,
    NodeFacts,
    Reservation,
    Tap,
    World,
)
from reference_controller.runtime.client import Client
from reference_controller.runtime.executor import now
from reference_controller.runtime.store import Index, Store

from .machines import Machines
from .performer import tap_name

VIEWS: dict[kinds.Kind, type[Object]] = {
    kinds.POD: LauncherPod,
    kinds.INTERNAL_INSTANCE: Instance,
    kinds.NETWORK: NetworkObject,
    kinds.CLUSTER_NETWORK: NetworkObject,
    kinds.IP_ADDRESS: IPAddress,
    kinds.NETWORK_ATTACHMENT: NetworkAttachment,
}
NETWORK_KINDS = {kind.kind: kind for kind in (kinds.NETWORK, kinds.CLUSTER_NETWORK)}


def bridge_of(network: NetworkObject) -> str:
    """The bridge of a network object."""
    return names.bridge_name(network.kind, network.namespace, network.name)


def requested_bridge(key: NetworkKey, namespace: str) -> str:
    """The bridge of a network that a pod of `namespace` asks for."""
    return names.bridge_name(key.type, namespace if key.type == "Network" else "", key.name)


def _machine(pod: LauncherPod) -> Iterable[str]:
    return [f"{pod.namespace}/{pod.machine}"]


def _bridges(pod: LauncherPod) -> Iterable[str]:
    return {requested_bridge(request.network, pod.namespace) for request in pod.requests}


def _addresses(pod: LauncherPod) -> Iterable[str]:
    return {f"{pod.namespace}/{name}" for request in pod.requests for name in request.address_names}


def _uid(view: Object) -> Iterable[str]:
    return [view.uid]


def _bridge(network: NetworkObject) -> Iterable[str]:
    return [bridge_of(network)]


INDEXES = (
    Index(kinds.POD, "uid", _uid),
    Index(kinds.POD, "machine", _machine),
    Index(kinds.POD, "bridge", _bridges),
    Index(kinds.POD, "address", _addresses),
    Index(kinds.NETWORK, "bridge", _bridge),
    Index(kinds.CLUSTER_NETWORK, "bridge", _bridge),
)


class Gatherer:
    """Makes worlds. An object that the store lacks is asked for before it counts as gone: a list
    that failed at start must not end guests."""

    def __init__(
        self,
        node: NodeFacts,
        store: Store,
        client: Client,
        links: Links,
        responder: Responder,
        machines: Machines,
    ) -> None:
        self._node = node
        self._store = store
        self._client = client
        self._links = links
        self._responder = responder
        self._machines = machines

    async def pod(self, uid: str) -> World:
        """The world of the pod with this UID."""
        record = self._machines.records.get(uid)
        pod = self._pod(uid)
        if pod is None and record is not None:
            await self._fetch(kinds.POD, record.namespace, record.name)
            pod = self._pod(uid)
        taps = self._taps(uid)
        return World(
            node=self._node,
            uid=uid,
            now=now(),
            pod=pod,
            instance=self._instance(pod),
            networks=self._networks(pod),
            addresses=self._addresses(pod),
            bridges=frozenset(self._links.bridges),
            taps=taps,
            reservations=self._reservations(taps),
            admitted=record is not None,
            guest=await self._machines.facts(uid),
            starting=self._machines.starting(uid),
        )

    async def network(self, bridge: str) -> NetworkWorld:
        """The world of the network with this bridge."""
        found = self._links.bridges.get(bridge)
        network = self._network(bridge)
        if network is None and found is not None:
            kind, namespace, name = found.alias.split("/")
            await self._fetch(NETWORK_KINDS[kind], namespace, name)
            network = self._network(bridge)
        alias = found.alias if found is not None else ""
        if network is not None:
            alias = f"{network.kind}/{network.namespace}/{network.name}"
        name = names.attachment_name(bridge, self._node.name)
        return NetworkWorld(
            node=self._node,
            bridge=bridge,
            alias=alias,
            now=now(),
            network=network,
            attachment=self._store.get(kinds.NETWORK_ATTACHMENT, NetworkAttachment, "", name),
            exists=found is not None,
            users=sum(tap.bridge == bridge for tap in self._links.taps.values()),
        )

    def waiting_for(self, bridge: str) -> list[str]:
        """UIDs of this node's pods that ask for a network."""
        pods = self._store.find(kinds.POD, LauncherPod, "bridge", bridge)
        return [pod.uid for pod in pods if pod.spec.node_name == self._node.name]

    def _pod(self, uid: str) -> LauncherPod | None:
        found = self._store.find(kinds.POD, LauncherPod, "uid", uid)
        return found[0] if found else None

    def _network(self, bridge: str) -> NetworkObject | None:
        for kind in NETWORK_KINDS.values():
            for network in self._store.find(kind, NetworkObject, "bridge", bridge):
                if not network.metadata.deleting:
                    return network
        return None

    def _instance(self, pod: LauncherPod | None) -> Instance | None:
        if pod is None:
            return None
        return self._store.get(kinds.INTERNAL_INSTANCE, Instance, pod.namespace, pod.machine)

    def _networks(self, pod: LauncherPod | None) -> dict[NetworkKey, NetworkObject]:
        found: dict[NetworkKey, NetworkObject] = {}
        for request in pod.requests if pod is not None else ():
            assert pod is not None
            network = self._network(requested_bridge(request.network, pod.namespace))
            if network is not None:
                found[request.network] = network
        return found

    def _addresses(self, pod: LauncherPod | None) -> dict[str, IPAddress]:
        found: dict[str, IPAddress] = {}
        for request in pod.requests if pod is not None else ():
            assert pod is not None
            for name in request.address_names:
                claim = self._store.get(kinds.IP_ADDRESS, IPAddress, pod.namespace, name)
                if claim is not None:
                    found[name] = claim
        return found

    def _taps(self, uid: str) -> dict[str, Tap]:
        found: dict[str, Tap] = {}
        for tap in self._links.taps.values():
            owner, _, interface = tap.alias.partition("/")
            if owner == uid and tap.name == tap_name(uid, interface):
                found[interface] = Tap(tap.name, tap.bridge, tap.mac)
        return found

    def _reservations(self, taps: dict[str, Tap]) -> dict[str, Reservation]:
        served = self._responder.reservations
        return {
            interface: Reservation(one.mac, one.address, one.gateway, one.routes)
            for interface, tap in taps.items()
            if (one := served.get(tap.name)) is not None
        }

    async def _fetch(self, kind: kinds.Kind, namespace: str, name: str) -> None:
        body = await self._client.get(kind, namespace, name)
        if body is not None:
            self._store.apply(kind, body)
