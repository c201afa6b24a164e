"""Views of the internal VM (KVVM), its instance (VMI) and the launcher pod (spec 4.3, 7; seam)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from . import names
from .conditions import Condition
from .networks import (
    InterfaceAnswer,
    InterfaceRequest,
    decode_answers,
    decode_requests,
)
from .view import Meta, Object, View

ABSENT = "absent"
"""`state` of an interface that shall leave (spec 4.3)."""


class Interface(View):
    """One NIC in a template or an instance spec."""

    name: str = ""
    mac_address: str = ""
    acpi_index: int = 0
    model: str = ""
    state: str = ""

    @property
    def absent(self) -> bool:
        """Whether the NIC is asked to leave."""
        return self.state == ABSENT


class Devices(View):
    """domain.devices."""

    interfaces: tuple[Interface, ...] = ()


class Domain(View):
    """spec.domain of an instance."""

    devices: Devices = Devices()


class InstanceSpec(View):
    """spec of an instance, also the inner spec of a template."""

    domain: Domain = Domain()
    node_selector: dict[str, str] = Field(default_factory=dict)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The NICs."""
        return self.domain.devices.interfaces


class Template(View):
    """spec.template of an internal VM."""

    metadata: Meta = Meta()
    spec: InstanceSpec = InstanceSpec()


class InternalVMSpec(View):
    """spec of an internal VM."""

    run_strategy: str = ""
    template: Template = Template()


class InternalVMStatus(View):
    """status of an internal VM."""

    printable_status: str = ""
    created: bool = False
    ready: bool = False
    state_change_requests: tuple[dict[str, Any], ...] = ()
    conditions: tuple[Condition, ...] = ()


class InternalVM(Object):
    """InternalVirtualizationVirtualMachine (KVVM): the persistent twin of a VM."""

    spec: InternalVMSpec = InternalVMSpec()
    status: InternalVMStatus = InternalVMStatus()

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The NICs of the template."""
        return self.spec.template.spec.interfaces


class InterfaceStatus(View):
    """One entry of an instance's status.interfaces (spec 7.2)."""

    name: str = ""
    mac: str = ""
    ip_address: str = ""
    ip_addresses: tuple[str, ...] = ()
    interface_name: str = ""
    info_source: str = ""
    link_state: str = ""
    pod_interface_name: str = ""
    queue_count: int = 0


class InstanceStatus(View):
    """status of an instance."""

    phase: str = ""
    node_name: str = ""
    active_pods: dict[str, str] = Field(default_factory=dict)
    interfaces: tuple[InterfaceStatus, ...] = ()
    conditions: tuple[Condition, ...] = ()
    migration_state: dict[str, Any] = Field(default_factory=dict)


class Instance(Object):
    """InternalVirtualizationVirtualMachineInstance (VMI): one run of a VM."""

    spec: InstanceSpec = InstanceSpec()
    status: InstanceStatus = InstanceStatus()


class PodSpec(View):
    """spec of a launcher pod."""

    node_name: str = ""


class PodStatus(View):
    """status of a launcher pod."""

    phase: str = ""
    message: str = ""
    reason: str = ""
    conditions: tuple[Condition, ...] = ()
    start_time: str = Field(default="", alias="startTime")


class LauncherPod(Object):
    """The pod in which one instance runs; found by its label."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def machine(self) -> str:
        """Name of the VM the pod belongs to, empty for a foreign pod."""
        labels = self.metadata.labels
        if labels.get(names.LAUNCHER_LABEL) != names.LAUNCHER_LABEL_VALUE:
            return ""
        return labels.get(names.LAUNCHER_VM_LABEL, "")

    @property
    def finished(self) -> bool:
        """Whether the pod has ended."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def requests(self) -> tuple[InterfaceRequest, ...]:
        """The decoded networks-spec."""
        return decode_requests(self.metadata.annotations.get(names.NETWORKS_SPEC))

    @property
    def answers(self) -> tuple[InterfaceAnswer, ...] | None:
        """The decoded networks-status; None when there is none that can be read."""
        return decode_answers(self.metadata.annotations.get(names.NETWORKS_STATUS))
