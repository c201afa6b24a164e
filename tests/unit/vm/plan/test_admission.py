"""Truth tables of admission (spec 8, AD-01 to AD-07, B11, B46, B47)."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

import pytest

from reference_controller.api.machines import (
    MachineIPAddress,
    MachineIPLease,
    Operation,
    VirtualMachine,
)
from reference_controller.api.networks import NetworkKey
from reference_controller.vm.plan import address_admission, admission
from reference_controller.vm.plan.world import Settings

MAIN: dict[str, Any] = {"type": "Main"}
A: dict[str, Any] = {"type": "Network", "name": "a"}
CIDRS = (IPv4Network("10.66.10.0/24"),)


def settings(sdn: bool = True, cidrs: bool = True) -> Settings:
    return Settings("5e:e6:19", CIDRS if cidrs else (), sdn)


def machine(networks: Any, phase: str = "Running", **spec: Any) -> VirtualMachine:
    body = {
        "metadata": {"name": "vm", "namespace": "ns"},
        "spec": {"networks": networks, **spec},
        "status": {"phase": phase},
    }
    return VirtualMachine.parse(body)


def refusal(
    new: VirtualMachine,
    old: VirtualMachine | None = None,
    here: Settings | None = None,
    **more: Any,
) -> str:
    """The text of the refusal, empty when the request passes."""
    request = admission.MachineRequest(here or settings(), new, old, **more)
    try:
        admission.judge_machine(request)
    except admission.Refused as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize(
    ("networks", "field"),
    [
        ([MAIN, MAIN], "spec.networks[1].type"),
        ([A, MAIN], "spec.networks[1].type"),
        ([A, A], "spec.networks[1].name"),
        ([{**MAIN, "name": "x"}], "spec.networks[0].name"),
        ([{"type": "Network"}], "spec.networks[0].name"),
        ([{**A, "id": 1}], "spec.networks[0].id"),
        ([{**A, "id": 0}], "spec.networks[0].id"),
        ([{**A, "id": 16384}], "spec.networks[0].id"),
        ([{**MAIN, "id": 2}], "spec.networks[0].id"),
        ([{**A, "id": 5}, {"type": "ClusterNetwork", "name": "a", "id": 5}], "spec.networks[1].id"),
    ],
)
def test_broken_lists_are_refused_by_field(networks: Any, field: str) -> None:
    assert refusal(machine(networks)).startswith(field)


@pytest.mark.parametrize(
    "networks",
    [
        None,
        [],
        [MAIN],
        [{**MAIN, "id": 1}],
        [A],
        [A, {"type": "ClusterNetwork", "name": "a"}],
        [MAIN, {**A, "id": 16383}],
        [MAIN, {"type": "Network", "name": "a" * 63}],
        [MAIN, {"type": "Network", "name": "a.b"}],
    ],
)
def test_sound_lists_pass(networks: Any) -> None:
    assert refusal(machine(networks)) == ""


@pytest.mark.parametrize("networks", [None, [], [MAIN], [A], [MAIN, A]])
@pytest.mark.parametrize("sdn", [True, False])
@pytest.mark.parametrize("cidrs", [True, False])
def test_gates(networks: Any, sdn: bool, cidrs: bool) -> None:
    main = not networks or MAIN in networks
    extra = bool(networks) and A in networks
    allowed = (cidrs or not main) and (sdn or not extra)
    here = settings(sdn, cidrs)
    told = refusal(machine(networks), None, here)
    assert (told == "") == allowed
    if not allowed:
        assert ("SDN" in told) == (extra and not sdn)
    assert refusal(machine(networks), machine(networks), here) == ""
    deleting = VirtualMachine.parse({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    assert refusal(machine(networks), deleting, here) == ""


@pytest.mark.parametrize(
    ("networks", "allowed"),
    [(None, True), ([], True), ([MAIN], True), ([A], False), ([MAIN, A], True)],
)
def test_a_named_main_address_needs_main(networks: Any, allowed: bool) -> None:
    new = machine(networks, virtualMachineIPAddressName="v")
    assert (refusal(new) == "") == allowed
    old = machine(networks)
    assert (refusal(new, old) == "") == allowed


def test_a_namesake_of_the_vm_must_be_named() -> None:
    assert "virtualMachineIPAddressName" in refusal(machine(None), namesake=True)
    assert refusal(machine(None, virtualMachineIPAddressName="vm"), namesake=True) == ""


def test_ids_of_known_networks_are_fixed_unless_stopped() -> None:
    old, new = [{**A, "id": 2}], [{**A, "id": 3}]
    assert refusal(machine(new), machine(old)).startswith("spec.networks[0].id")
    assert refusal(machine(new), machine(old, phase="Stopped")) == ""
    assert refusal(machine(new), machine([A])) == ""


def test_added_networks_must_exist() -> None:
    unknown = {NetworkKey("Network", "a")}
    assert "Network/a" in refusal(machine([MAIN, A]), machine([MAIN]), unknown=unknown)
    assert refusal(machine([MAIN, A]), unknown=unknown) == ""
    kept = machine([MAIN, A, {"type": "Network", "name": "b"}])
    assert refusal(kept, machine([MAIN, A]), unknown=unknown) == ""


def test_ids_are_filled_in_and_inherited() -> None:
    assert admission.filled(machine(None), None) is None
    assert admission.filled(machine([{**MAIN, "id": 1}]), None) is None
    old = machine([{**MAIN, "id": 1}, {**A, "id": 7}])
    new = machine([MAIN, {"type": "Network", "name": "b"}, {**A, "ipAddressName": "s"}])
    assert admission.filled(new, old) == [
        {"type": "Main", "id": 1},
        {"type": "Network", "name": "b", "id": 2},
        {"type": "Network", "name": "a", "ipAddressName": "s", "id": 7},
    ]


def address(
    kind: str = "Static", ip: str = "", phase: str = "", held: str = ""
) -> MachineIPAddress:
    spec = {"type": kind, **({"staticIP": ip} if ip else {})}
    status = {"phase": phase, "address": held}
    meta = {"name": "v", "namespace": "ns"}
    return MachineIPAddress.parse({"metadata": meta, "spec": spec, "status": status})


def lease(name: str, namespace: str = "ns", phase: str = "Bound") -> MachineIPLease:
    spec = {"virtualMachineIPAddressRef": {"name": name, "namespace": namespace}}
    return MachineIPLease.parse({"spec": spec, "status": {"phase": phase}})


def judged(
    new: MachineIPAddress,
    old: MachineIPAddress | None = None,
    held: MachineIPLease | None = None,
    here: Settings | None = None,
) -> str:
    """`refused`, `warned` or `passed`."""
    request = address_admission.AddressRequest(here or settings(), new, old, held)
    try:
        return "warned" if address_admission.judge_address(request) else "passed"
    except admission.Refused:
        return "refused"


def test_address_objects() -> None:
    good = "10.66.10.5"
    assert judged(address("Auto")) == "passed"
    assert judged(address("Auto", good)) == "refused"
    assert judged(address("Static")) == "refused"
    assert judged(address("Static", "nonsense")) == "refused"
    assert judged(address("Static", good)) == "passed"
    assert judged(address("Static", "10.66.10.0")) == "refused"
    assert judged(address("Static", "10.99.0.1")) == "refused"
    assert judged(address("Auto"), here=settings(cidrs=False)) == "refused"


def test_held_addresses() -> None:
    new = address("Static", "10.66.10.5")
    assert judged(new, held=lease("other")) == "refused"
    assert judged(new, held=lease("v")) == "passed"
    assert judged(new, held=lease("", phase="Released")) == "passed"
    old = address("Static", "10.66.10.6", "Pending")
    assert judged(new, old, lease("other")) == "refused"
    assert judged(address("Static", "10.99.0.1"), old) == "warned"


def test_bound_addresses_do_not_change() -> None:
    old = address("Auto", "", "Attached", "10.66.10.5")
    assert judged(address("Static", "10.66.10.5"), old) == "passed"
    assert judged(address("Static", "10.66.10.6"), old) == "refused"
    fixed = address("Static", "10.66.10.5", "Bound", "10.66.10.5")
    assert judged(address("Auto"), fixed) == "refused"
    assert judged(fixed, fixed) == "passed"


def test_names_of_leases_are_addresses() -> None:
    assert address_admission.is_lease_name("ip-10-66-10-5")
    assert not address_admission.is_lease_name("ip-10-66-10-500")
    assert not address_admission.is_lease_name("mine")


def operation(kind: str, force: bool = False, phase: str = "InProgress") -> Operation:
    spec = {"type": kind, "virtualMachineName": "vm", "force": force}
    return Operation.parse({"metadata": {"name": kind}, "spec": spec, "status": {"phase": phase}})


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        (operation("Start"), operation("Stop"), True),
        (operation("Start"), operation("Restart"), False),
        (operation("Stop"), operation("Stop", force=True), True),
        (operation("Restart"), operation("Restart", force=True), True),
        (operation("Restart"), operation("Restart"), False),
        (operation("Restart", phase="Completed"), operation("Restart"), True),
    ],
)
def test_operations_supersede(old: Operation, new: Operation, allowed: bool) -> None:
    if allowed:
        address_admission.judge_operation(new, [old])
        return
    with pytest.raises(admission.Refused, match="has not ended"):
        address_admission.judge_operation(new, [old])
