"""What decisions about one launcher pod, one network, or the node itself are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Interface

from reference_controller.api import names
from reference_controller.api.internal import Instance, Interface, LauncherPod
from reference_controller.api.networks import InterfaceRequest, NetworkKey
from reference_controller.api.sdn import IPAddress, NetworkAttachment, NetworkObject

MAIN_BRIDGE = "main"


@dataclass(frozen=True)
class NodeFacts:
    """What holds for every guest of the node.

    `slots`: NICs that a machine takes. `prefix` and `gateway` belong to the Main network.
    """

    name: str
    slots: int
    prefix: int
    gateway: IPv4Address


@dataclass(frozen=True)
class Tap:
    """A link that exists for an interface of the pod; `mac` is the link's own address."""

    name: str
    bridge: str
    mac: str


@dataclass(frozen=True)
class Nic:
    """A NIC in the running machine; `id` is its network id and ACPI index."""

    id: int
    tap: str
    mac: str


@dataclass(frozen=True)
class Reservation:
    """The address that DHCP gives to the NIC `mac`."""

    mac: str
    address: IPv4Interface
    gateway: IPv4Address | None = None
    routes: tuple[tuple[IPv4Network, IPv4Address], ...] = ()


@dataclass(frozen=True)
class Reported:
    """One interface as the guest's agent reports it; `addresses` without those it leaves out."""

    name: str
    mac: str
    addresses: tuple[IPv4Interface | IPv6Interface, ...] = ()


@dataclass(frozen=True)
class Guest:
    """The machine of a pod.

    Attributes:
        nics: by id; asked of the machine itself.
        leaving: ids of NICs that the guest has been asked to let go.
        agent_open: whether a guest agent has its port open.
        report: the last interfaces that the agent told; None if it never did in this run.
        system: what the agent told about the guest's system.
        ended: empty while the machine runs, else the phase that its end means for the pod.
    """

    nics: tuple[Nic, ...] = ()
    leaving: frozenset[int] = frozenset()
    agent_open: bool = False
    report: tuple[Reported, ...] | None = None
    system: Mapping[str, str] = field(default_factory=dict)
    ended: str = ""


@dataclass(frozen=True)
class World:
    """One launcher pod bound to this node, and all that its guest depends on.

    Attributes:
        uid: the pod's UID, which also names its guest; known even when the pod is gone.
        pod: None once it is gone.
        instance: the instance that the pod belongs to.
        networks: the networks that the pod's requests name and that exist.
        addresses: IPAddress objects of the pod's namespace, by name.
        bridges: the networks' bridges that are complete on this node.
        taps: links of this pod, by interface name.
        reservations: what DHCP serves, by interface name.
        admitted: whether the agent has taken note of the pod on disk.
        guest: None before the machine is complete.
        starting: whether the machine is being made.
        now: RFC 3339.
    """

    node: NodeFacts
    uid: str
    now: str
    pod: LauncherPod | None = None
    instance: Instance | None = None
    networks: Mapping[NetworkKey, NetworkObject] = field(default_factory=dict)
    addresses: Mapping[str, IPAddress] = field(default_factory=dict)
    bridges: frozenset[str] = frozenset()
    taps: Mapping[str, Tap] = field(default_factory=dict)
    reservations: Mapping[str, Reservation] = field(default_factory=dict)
    admitted: bool = False
    guest: Guest | None = None
    starting: bool = False

    @property
    def requests(self) -> tuple[InterfaceRequest, ...]:
        """What networks-spec asks for."""
        return self.pod.requests if self.pod is not None else ()

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The NICs that the instance shall have, Main first."""
        wanted = self.instance.spec.interfaces if self.instance is not None else ()
        present = [nic for nic in wanted if not nic.absent]
        return tuple(sorted(present, key=lambda nic: nic.name != names.MAIN_INTERFACE))

    @property
    def nics(self) -> tuple[Nic, ...]:
        """The NICs in the machine."""
        return self.guest.nics if self.guest is not None else ()

    def interface_of(self, nic: Nic) -> str:
        """Name of the interface that a NIC of the machine belongs to, empty when unknown."""
        for name, tap in self.taps.items():
            if tap.name == nic.tap:
                return name
        return ""


@dataclass(frozen=True)
class NetworkWorld:
    """One network on this node.

    Attributes:
        network: None once it is gone.
        bridge: name of its bridge.
        alias: `<Kind>/<namespace>/<name>`.
        exists: whether the bridge is complete on this node.
        trouble: why it could not be made.
        users: how many taps are on it.
    """

    node: NodeFacts
    bridge: str
    alias: str
    now: str
    network: NetworkObject | None = None
    attachment: NetworkAttachment | None = None
    exists: bool = False
    trouble: str = ""
    users: int = 0
