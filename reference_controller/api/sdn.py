"""Views of the SDN module's kinds (spec 1.5, 5; seam)."""

from __future__ import annotations

from pydantic import Field

from . import conditions
from .conditions import Condition
from .networks import NetworkKey
from .view import Object, View


class PoolReference(View):
    """spec.ipam.ipAddressPoolRef."""

    kind: str = ""
    name: str = ""


class Ipam(View):
    """spec.ipam of a network."""

    pool: PoolReference = Field(default=PoolReference(), alias="ipAddressPoolRef")


class NetworkObjectSpec(View):
    """spec of a Network or ClusterNetwork."""

    ipam: Ipam = Ipam()


class NetworkObjectStatus(View):
    """status of a Network or ClusterNetwork."""

    bridge_name: str = ""
    conditions: tuple[Condition, ...] = ()


class NetworkObject(Object):
    """Network or ClusterNetwork; `kind` tells which."""

    kind: str = ""
    spec: NetworkObjectSpec = NetworkObjectSpec()
    status: NetworkObjectStatus = NetworkObjectStatus()

    @property
    def key(self) -> NetworkKey:
        """How VMs name this network."""
        return NetworkKey(self.kind, self.name)

    @property
    def ready(self) -> bool:
        """Whether the condition Ready is True."""
        return conditions.holds(self.status.conditions, "Ready")

    @property
    def pooled(self) -> bool:
        """Whether addresses are managed in this network (spec 5.1)."""
        return bool(self.spec.ipam.pool.name)


class NetworkReference(View):
    """spec.networkRef of an IPAddress."""

    kind: str = ""
    name: str = ""


class StaticAddress(View):
    """spec.static of an IPAddress."""

    ip: str = ""


class IPAddressSpec(View):
    """spec of an IPAddress."""

    network_ref: NetworkReference = NetworkReference()
    type: str = "Auto"
    static: StaticAddress = StaticAddress()


class IPAddressStatus(View):
    """status of an IPAddress."""

    address: str = ""
    network: str = ""
    routes: tuple[dict[str, str], ...] = ()
    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class IPAddress(Object):
    """IPAddress: the claim of an address in a network's pool."""

    spec: IPAddressSpec = IPAddressSpec()
    status: IPAddressStatus = IPAddressStatus()

    @property
    def network(self) -> NetworkKey:
        """The network the address belongs to."""
        return NetworkKey(self.spec.network_ref.kind, self.spec.network_ref.name)

    @property
    def allocated(self) -> bool:
        """Whether the condition Allocated is True (spec 5.5)."""
        return conditions.holds(self.status.conditions, "Allocated")


class ClaimedBy(View):
    """The IPAddress that a lease was made for."""

    namespace: str = ""
    name: str = ""
    uid: str = ""


class IPAddressLeaseSpec(View):
    """spec of an IPAddressLease; `ttl` is a duration such as `1h`."""

    ip: str = ""
    ttl: str = ""
    claim: ClaimedBy = Field(default=ClaimedBy(), alias="ipAddressRef")


class IPAddressLeaseStatus(View):
    """status of an IPAddressLease."""

    orphaning_timestamp: str = ""


class IPAddressLease(Object):
    """IPAddressLease: the hold on an address, kept for `ttl` after its IPAddress is gone."""

    spec: IPAddressLeaseSpec = IPAddressLeaseSpec()
    status: IPAddressLeaseStatus = IPAddressLeaseStatus()


class PoolRoute(View):
    """One route that the guests of a pool get."""

    destination: str = ""
    via: str = ""


class PoolRange(View):
    """One network of a pool."""

    network: str = ""
    ranges: tuple[str, ...] = ()
    routes: tuple[PoolRoute, ...] = ()


class PoolSpec(View):
    """spec of an IPAddressPool or ClusterIPAddressPool."""

    lease_ttl: str = Field(default="", alias="leaseTTL")
    pools: tuple[PoolRange, ...] = ()


class AddressPool(Object):
    """IPAddressPool or ClusterIPAddressPool."""

    kind: str = ""
    spec: PoolSpec = PoolSpec()


class AttachmentSpec(View):
    """spec of a NodeNetworkInterfaceAttachment."""

    node_name: str = ""
    network_ref: dict[str, str] = Field(default_factory=dict)


class AttachmentStatus(View):
    """status of a NodeNetworkInterfaceAttachment."""

    conditions: tuple[Condition, ...] = ()


class NetworkAttachment(Object):
    """NodeNetworkInterfaceAttachment: one network as built on one node."""

    spec: AttachmentSpec = AttachmentSpec()
    status: AttachmentStatus = AttachmentStatus()
