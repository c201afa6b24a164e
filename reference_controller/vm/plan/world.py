"""What a pass over one VM sees: everything it may decide from, frozen.

Gathered by the operator from its store. Objects that are not there are absent from the mappings
or None; nothing here was fetched for the occasion, so a pass costs no request.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network

from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.machines import (
    MachineIPAddress,
    MachineMACAddress,
    Operation,
    VirtualMachine,
)
from reference_controller.api.networks import NetworkKey
from reference_controller.api.sdn import IPAddress, NetworkObject

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True)
class Settings:
    """The environment variables of the component, parsed.

    `oui`: first three octets of generated MAC addresses, `5e:e6:19`. `retention`: seconds for
    which a released Main address is kept for its namespace (spec 6).
    """

    oui: str
    cidrs: tuple[IPv4Network, ...] = ()
    sdn_enabled: bool = True
    retention: int = 600


@dataclass(frozen=True)
class Neighbour:
    """A VM that may hold what another one wants; `pods`: whether it still has a launcher pod."""

    machine: VirtualMachine
    pods: bool = False

    @property
    def holds_nothing(self) -> bool:
        """A deleted VM without pods has no guest left that could use anything (D5, B30)."""
        return self.machine.metadata.deleting and not self.pods

    @property
    def seniority(self) -> tuple[str, str]:
        """Who comes first where nobody holds yet: the oldest, then the lowest UID (D5)."""
        return self.machine.metadata.creation_timestamp, self.machine.uid


@dataclass(frozen=True)
class World:
    """One VM and all that its pass depends on.

    Attributes:
        pods: every launcher pod of the VM, finished and deleted ones included, by name.
        addresses: VirtualMachineIPAddresses of the namespace that the VM names or owns, by name.
        macs: VirtualMachineMACAddresses likewise.
        networks: the networks that spec, last applied spec or status name.
        claims: IPAddresses of the namespace that the VM names or owns, by name.
        neighbours: other VMs of the namespace that name an IPAddress which this one names.
        operations: VirtualMachineOperations that target this VM, oldest first.
        tap_nodes: for each known node of a pod, whether it carries the tap annotation (HP-23).
    """

    namespace: str
    name: str
    now: str
    settings: Settings
    machine: VirtualMachine | None = None
    internal: InternalVM | None = None
    instance: Instance | None = None
    pods: tuple[LauncherPod, ...] = ()
    addresses: Mapping[str, MachineIPAddress] = field(default_factory=dict)
    macs: Mapping[str, MachineMACAddress] = field(default_factory=dict)
    networks: Mapping[NetworkKey, NetworkObject] = field(default_factory=dict)
    claims: Mapping[str, IPAddress] = field(default_factory=dict)
    neighbours: tuple[Neighbour, ...] = ()
    operations: tuple[Operation, ...] = ()
    class_exists: bool = True
    missing_images: tuple[str, ...] = ()
    tap_nodes: Mapping[str, bool] = field(default_factory=dict)

    @property
    def vm(self) -> VirtualMachine:
        """The VM; plans below the top function run only when there is one."""
        if self.machine is None:
            raise LookupError(f"VirtualMachine {self.namespace}/{self.name} is not in this world")
        return self.machine

    @property
    def active_pods(self) -> tuple[LauncherPod, ...]:
        """The pods that count (D15): alive and, once there is an instance, listed by it."""
        listed = self.instance.status.active_pods if self.instance is not None else None
        return tuple(
            pod
            for pod in self.pods
            if not pod.metadata.deleting
            and not pod.finished
            and (listed is None or pod.uid in listed)
        )

    @property
    def guest_may_live(self) -> bool:
        """Whether a guest could still be using what it was given (D9, B20)."""
        return self.live_instance is not None or any(not pod.finished for pod in self.pods)

    @property
    def live_instance(self) -> Instance | None:
        """The instance unless its guest has ended."""
        instance = self.instance
        if instance is None or instance.status.phase in ("Succeeded", "Failed"):
            return None
        return instance

    @property
    def running(self) -> bool:
        """Whether the guest has been started in the present instance."""
        return self.instance is not None and self.instance.status.phase == "Running"


def seconds_between(earlier: str, later: str) -> float:
    """Seconds from one RFC 3339 time to another; 0 when either cannot be read."""
    try:
        return (_moment(later) - _moment(earlier)).total_seconds()
    except ValueError:
        return 0.0


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
