"""VirtualMachineIPAddress and lease: choice, conflicts, retention (spec 6, VI-01 to VI-06, B28)."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

import pytest

from reference_controller.api import kinds, names
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch
from reference_controller.vm.plan import main_addresses
from reference_controller.vm.plan.world import Settings
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform


def settings(*cidrs: str) -> Settings:
    return Settings(oui="5e:e6:19", cidrs=tuple(map(IPv4Network, cidrs)))


@pytest.mark.parametrize(
    ("cidr", "first", "inside", "outside"),
    [
        ("10.66.10.0/24", "10.66.10.1", ["10.66.10.254"], ["10.66.10.0", "10.66.10.255"]),
        ("10.66.10.4/30", "10.66.10.5", ["10.66.10.6"], ["10.66.10.4", "10.66.10.7"]),
        ("10.66.10.4/31", "10.66.10.4", ["10.66.10.5"], ["10.66.10.6"]),
        ("10.66.10.4/32", "10.66.10.4", ["10.66.10.4"], ["10.66.10.5"]),
    ],
)
def test_edges_of_ranges(cidr: str, first: str, inside: list[str], outside: list[str]) -> None:
    here = settings(cidr)
    assert main_addresses.lowest_free(here, frozenset()) == first
    assert [main_addresses.in_range(here, text) for text in inside] == [True] * len(inside)
    assert [main_addresses.in_range(here, text) for text in outside] == [False] * len(outside)


def test_ranges_are_used_in_their_order() -> None:
    here = settings("10.2.0.0/31", "10.1.0.0/31")
    taken: set[str] = set()
    order = []
    while address := main_addresses.lowest_free(here, taken):
        order.append(address)
        taken.add(names.ip_lease_name(address))
    assert order == ["10.2.0.0", "10.2.0.1", "10.1.0.0", "10.1.0.1"]


def make(platform: Platform, name: str, namespace: str = NAMESPACE, **spec: Any) -> None:
    body = {"metadata": {"name": name, "namespace": namespace}, "spec": spec or {"type": "Auto"}}
    platform.api.create(kinds.VM_IP_ADDRESS, body)


def found(platform: Platform, name: str, namespace: str = NAMESPACE) -> tuple[str, str, str]:
    """Address, phase and the reason of Bound."""
    body = platform.api.get(kinds.VM_IP_ADDRESS, name, namespace)
    assert body is not None
    status: Json = body["status"]
    return status.get("address", ""), status["phase"], status["conditions"][0]["reason"]


def test_automatic_addresses_are_the_lowest_free() -> None:
    platform = Platform(settings("10.66.10.0/30"))
    for name in ("a", "b", "c"):
        make(platform, name)
    platform.settle()
    assert found(platform, "a") == ("10.66.10.1", "Bound", "Bound")
    assert found(platform, "b") == ("10.66.10.2", "Bound", "Bound")
    assert found(platform, "c") == ("", "Pending", "VirtualMachineIPAddressLeaseNotReady")


def test_a_static_address_out_of_range_is_not_bound() -> None:
    platform = Platform()
    make(platform, "a", type="Static", staticIP="10.99.0.1")
    platform.settle()
    assert found(platform, "a")[2] == "VirtualMachineIPAddressIsOutOfTheValidRange"


def test_a_static_address_that_is_held_waits_for_it() -> None:
    platform = Platform()
    make(platform, "a", type="Static", staticIP="10.66.10.77")
    platform.settle()
    make(platform, "b", type="Static", staticIP="10.66.10.77")
    platform.settle()
    assert found(platform, "b")[1:] == ("Pending", "VirtualMachineIPAddressLeaseNotReady")
    platform.remove(kinds.VM_IP_ADDRESS, "a")
    platform.settle()
    assert found(platform, "b") == ("10.66.10.77", "Bound", "Bound")


def test_retention_keeps_the_address_for_its_namespace() -> None:
    platform = Platform()
    make(platform, "a", type="Static", staticIP="10.66.10.1")
    platform.settle()
    platform.remove(kinds.VM_IP_ADDRESS, "a")
    platform.settle()
    lease = platform.api.all(kinds.VM_IP_ADDRESS_LEASE)[0]
    assert lease["status"]["phase"] == "Released"
    assert lease["spec"]["virtualMachineIPAddressRef"] == {"name": "", "namespace": NAMESPACE}
    since = lease["status"]["conditions"][0]["lastTransitionTime"]
    platform.seconds += 60
    make(platform, "auto")
    make(platform, "foreign", "other", type="Static", staticIP="10.66.10.1")
    platform.settle()
    assert found(platform, "auto")[0] == "10.66.10.2"
    assert found(platform, "foreign", "other")[1] == "Pending"
    lease = platform.api.all(kinds.VM_IP_ADDRESS_LEASE)[0]
    assert lease["status"]["conditions"][0]["lastTransitionTime"] == since
    make(platform, "again", type="Static", staticIP="10.66.10.1")
    platform.settle()
    assert found(platform, "again") == ("10.66.10.1", "Bound", "Bound")


@pytest.mark.parametrize(("later", "kept"), [(599, True), (600, False), (601, False)])
def test_the_boundary_instant_counts_as_over(later: int, kept: bool) -> None:
    platform = Platform()
    make(platform, "a")
    platform.settle()
    platform.remove(kinds.VM_IP_ADDRESS, "a")
    released = 0
    while not released:
        platform.controller()
        lease = platform.api.all(kinds.VM_IP_ADDRESS_LEASE)[0]
        released = int(lease["status"]["phase"] == "Released")
    platform.seconds += later
    platform.wake_all()
    platform.controller()
    assert bool(platform.api.all(kinds.VM_IP_ADDRESS_LEASE)) == kept


def test_a_foreign_namespace_binds_by_itself_after_the_retention() -> None:
    platform = Platform()
    make(platform, "a", type="Static", staticIP="10.66.10.1")
    platform.settle()
    platform.remove(kinds.VM_IP_ADDRESS, "a")
    platform.settle()
    make(platform, "foreign", "other", type="Static", staticIP="10.66.10.1")
    platform.settle()
    platform.seconds += 700
    platform.keys.append(("vmipl", "", "ip-10-66-10-1"))
    platform.settle()
    assert found(platform, "foreign", "other") == ("10.66.10.1", "Bound", "Bound")


def test_a_lost_lease_is_said_and_not_replaced() -> None:
    platform = Platform()
    make(platform, "a")
    platform.settle()
    patch = MergePatch(
        kinds.VM_IP_ADDRESS_LEASE, "", "ip-10-66-10-1", {"metadata": {"finalizers": None}}
    )
    platform.api.perform(patch)
    platform.remove(kinds.VM_IP_ADDRESS_LEASE, "ip-10-66-10-1")
    platform.settle()
    address, phase, reason = found(platform, "a")
    assert (address, phase) == ("10.66.10.1", "Pending")
    assert reason == "VirtualMachineIPAddressLeaseLost"


def test_a_missing_label_is_restored() -> None:
    platform = Platform()
    make(platform, "a")
    platform.settle()
    body: Json = {"metadata": {"labels": {names.VMIP_UID_LABEL: None}}}
    platform.api.perform(MergePatch(kinds.VM_IP_ADDRESS_LEASE, "", "ip-10-66-10-1", body))
    platform.settle()
    lease = platform.api.all(kinds.VM_IP_ADDRESS_LEASE)[0]
    claim = platform.api.get(kinds.VM_IP_ADDRESS, "a")
    assert claim is not None
    assert lease["metadata"]["labels"][names.VMIP_UID_LABEL] == claim["metadata"]["uid"]
