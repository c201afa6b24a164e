"""Starts that wait, edits before the guest runs, Main addresses, operations (LC, MN, VI)."""

from __future__ import annotations

from typing import Any

import pytest

from reference_controller.api import kinds
from reference_controller.api.writes import MergePatch
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
BLUE: dict[str, Any] = {"type": "ClusterNetwork", "name": "blue"}


def new_platform(**spec: Any) -> Platform:
    platform = Platform()
    platform.network("blue")
    platform.machine(**spec)
    platform.settle()
    return platform


def test_a_vm_without_its_class_waits_and_says_so() -> None:
    platform = new_platform(virtualMachineClassName="none")
    assert platform.vm().status.phase == "Pending"
    assert platform.api.all(kinds.INTERNAL_VM) == []
    found = platform.condition("VirtualMachineClassReady")
    assert found is not None
    assert found[0] == "False"
    platform.api.create(kinds.VIRTUAL_MACHINE_CLASS, {"metadata": {"name": "none"}})
    platform.settle()
    assert platform.vm().status.phase == "Running"


def test_an_edit_before_the_guest_runs_is_applied_at_once() -> None:
    platform = Platform()
    platform.network("blue")
    platform.silent_node = True
    platform.machine(networks=[MAIN])
    platform.settle()
    platform.edit(networks=[BLUE])
    for _ in range(20):
        platform.seconds += 1
        platform.controller()
        platform.around()
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None
    platform.silent_node = False
    platform.settle()
    assert platform.vm().status.phase == "Running"
    assert "default" not in platform.nics()
    assert len(platform.nics()) == 1


def test_only_networks_that_are_not_ready_means_no_nic_at_all() -> None:
    platform = Platform()
    platform.network("blue")
    platform.ready("blue", ready=False)
    platform.machine(networks=[BLUE])
    platform.settle()
    assert platform.vm().status.phase == "Running"
    assert platform.nics() == {}
    template = platform.api.all(kinds.INTERNAL_VM)[0]["spec"]["template"]["spec"]
    assert template["networks"] == []
    assert template["domain"]["devices"]["autoattachPodInterface"] is False
    platform.ready("blue")
    platform.settle()
    assert len(platform.nics()) == 1


def test_another_main_address_waits_for_the_restart_and_keeps_the_old() -> None:
    platform = new_platform(networks=[MAIN])
    old = platform.vm().status
    meta = {"name": "mine", "namespace": NAMESPACE}
    spec = {"type": "Static", "staticIP": "10.66.10.77"}
    platform.api.create(kinds.VM_IP_ADDRESS, {"metadata": meta, "spec": spec})
    platform.edit(virtualMachineIPAddressName="mine")
    platform.settle()
    now = platform.vm().status
    assert (now.ip_address, now.ip_address_name) == (old.ip_address, old.ip_address_name)
    found = platform.condition("VirtualMachineIPAddressReady")
    assert found is not None
    assert found[0] == "True"
    assert [item["path"] for item in now.restart_awaiting_changes] == ["virtualMachineIPAddress"]
    platform.operate("Restart")
    platform.settle()
    assert platform.vm().status.ip_address == "10.66.10.77"
    names = [body["metadata"]["name"] for body in platform.api.all(kinds.VM_IP_ADDRESS)]
    assert names == ["mine"]


def test_a_network_edited_together_with_main_waits_and_is_applied_once() -> None:
    platform = new_platform(networks=[MAIN])
    platform.edit(networks=[BLUE])
    platform.settle()
    assert list(platform.nics()) == ["default"]
    platform.operate("Restart")
    platform.settle()
    assert len(platform.nics()) == 1
    assert "default" not in platform.nics()


@pytest.mark.parametrize(
    ("policy", "kind", "reason"),
    [
        ("AlwaysOn", "Stop", "NotApplicableForVirtualMachineRunPolicy"),
        ("AlwaysOff", "Start", "NotApplicableForVirtualMachineRunPolicy"),
        ("Manual", "Restart", "NotApplicableForVirtualMachinePhase"),
    ],
)
def test_operations_that_do_not_apply_fail(policy: str, kind: str, reason: str) -> None:
    platform = new_platform(runPolicy=policy)
    platform.operate(kind)
    platform.settle()
    status = platform.api.all(kinds.VM_OPERATION)[0]["status"]
    assert (status["phase"], status["conditions"][0]["reason"]) == ("Failed", reason)


def test_an_operation_on_no_vm_fails() -> None:
    platform = Platform()
    platform.operate("Start")
    platform.settle()
    status = platform.api.all(kinds.VM_OPERATION)[0]["status"]
    assert status["conditions"][0]["reason"] == "VirtualMachineNotFound"


@pytest.mark.parametrize(
    ("policy", "phase"),
    [
        ("AlwaysOn", "Running"),
        ("AlwaysOff", "Stopped"),
        ("Manual", "Stopped"),
        ("AlwaysOnUnlessStoppedManually", "Running"),
    ],
)
def test_run_policies(policy: str, phase: str) -> None:
    platform = new_platform(runPolicy=policy)
    assert platform.vm().status.phase == phase


def test_switching_off_by_policy_stops() -> None:
    platform = new_platform()
    platform.edit(runPolicy="AlwaysOff")
    platform.settle()
    assert platform.vm().status.phase == "Stopped"
    platform.edit(runPolicy="AlwaysOn")
    platform.settle()
    assert platform.vm().status.phase == "Running"


@pytest.mark.parametrize(
    ("listed", "ready"),
    [
        ([], "True"),
        (["fe80::1"], "True"),
        (["10.66.10.1", "fe80::1"], "True"),
        (["fe80::1", "10.66.10.1"], "True"),
        (["10.0.2.15"], "False"),
        (["10.0.2.15", "10.66.10.1"], "True"),
    ],
)
def test_only_another_address_contradicts_the_claimed(listed: list[str], ready: str) -> None:
    platform = new_platform()
    interfaces = [{"name": "default", "ipAddresses": listed}]
    body = {"status": {"interfaces": interfaces}}
    platform.api.perform(MergePatch(kinds.INTERNAL_INSTANCE, NAMESPACE, "vm", body))
    platform.controller()
    found = platform.condition("VirtualMachineIPAddressReady")
    assert found is not None
    assert found[0] == ready
    if ready == "False":
        assert found[1] == "VirtualMachineIPAddressNotAssigned"
        assert "10.66.10.1" in found[2]
        assert "10.0.2.15" in found[2]


def test_foreign_conditions_and_fields_survive() -> None:
    platform = new_platform()
    foreign = {"type": "Foreign", "status": "True", "reason": "X", "message": "m"}
    stored = platform.vm().raw["status"]["conditions"]
    body = {"status": {"conditions": [*stored, foreign], "other": 1}}
    platform.api.perform(MergePatch(kinds.VIRTUAL_MACHINE, NAMESPACE, "vm", body, status=True))
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    assert foreign in platform.vm().raw["status"]["conditions"]
    assert platform.vm().raw["status"]["other"] == 1


def test_a_vm_made_anew_inherits_nothing() -> None:
    platform = new_platform(networks=[MAIN, BLUE])
    before = {body["metadata"]["uid"] for body in platform.api.all(kinds.VM_MAC_ADDRESS)}
    platform.remove(kinds.VIRTUAL_MACHINE, "vm")
    platform.settle()
    platform.machine(networks=[MAIN, BLUE])
    platform.settle()
    after = {body["metadata"]["uid"] for body in platform.api.all(kinds.VM_MAC_ADDRESS)}
    assert platform.vm().status.phase == "Running"
    assert not before & after
    assert platform.vm().status.ip_address == "10.66.10.2"
