"""Main comes and goes by a restart; absent, [] and [Main] are one meaning (MN-01 to MN-06)."""

from __future__ import annotations

from typing import Any

import pytest

from reference_controller.api import kinds, names
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
BLUE = {"type": "ClusterNetwork", "name": "blue"}


def started(**spec: Any) -> Platform:
    platform = Platform()
    platform.network("blue")
    platform.machine(**spec)
    platform.settle()
    return platform


def test_removing_main_waits_for_a_restart() -> None:
    platform = started(networks=[MAIN, BLUE])
    platform.edit(networks=[BLUE])
    platform.settle()
    vm = platform.vm()
    found = platform.condition("AwaitingRestartToApplyConfiguration")
    assert found is not None
    assert found[:2] == ("True", "ChangesPendingRestart")
    change = vm.status.restart_awaiting_changes
    assert [(item["operation"], item["path"]) for item in change] == [("replace", "networks")]
    assert "default" in platform.nics()
    assert vm.status.ip_address == "10.66.10.1"
    before = platform.api.get(kinds.INTERNAL_INSTANCE, "vm")
    platform.operate("Restart")
    platform.settle()
    after = platform.api.get(kinds.INTERNAL_INSTANCE, "vm")
    assert before is not None
    assert after is not None
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert "default" not in platform.nics()
    assert platform.vm().status.phase == "Running"
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None
    assert platform.vm().status.restart_awaiting_changes == ()
    assert platform.vm().status.ip_address == ""
    operation = platform.api.get(kinds.VM_OPERATION, "op")
    assert operation is not None
    assert operation["status"]["phase"] == "Completed"
    assert platform.api.all(kinds.VM_IP_ADDRESS) == []


def test_adding_main_waits_for_a_restart() -> None:
    platform = started(networks=[BLUE])
    assert platform.vm().status.ip_address == ""
    assert "default" not in platform.nics()
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    assert platform.vm().status.ip_address == ""
    assert [entry.type for entry in platform.vm().status.networks] == ["ClusterNetwork"]
    assert platform.condition("AwaitingRestartToApplyConfiguration") is not None
    platform.operate("Restart")
    platform.settle()
    assert platform.vm().status.ip_address == "10.66.10.1"
    assert "default" in platform.nics()


@pytest.mark.parametrize("approval", ["Manual", "Automatic"])
@pytest.mark.parametrize("seed", range(8))
def test_the_restart_that_adds_main_waits_for_the_address(approval: str, seed: int) -> None:
    platform = Platform(seed=seed)
    platform.network("blue")
    platform.machine(networks=[BLUE], disruptions={"restartApprovalMode": approval})
    platform.settle()
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    if approval == "Manual":
        platform.operate("Restart")
        platform.settle()
    texts = [repr(write) for write in platform.writes]
    addressed = next(i for i, text in enumerate(texts) if f"'{names.POD_ADDRESS}': '10.66" in text)
    started = [i for i, text in enumerate(texts) if "'action': 'Start'" in text]
    assert min(started) > addressed
    [pod] = platform.api.all(kinds.POD)
    assert pod["metadata"]["annotations"].get(names.POD_ADDRESS) == "10.66.10.1"
    internal = platform.api.get(kinds.INTERNAL_VM, "vm")
    assert internal is not None
    assert names.RESTART_REQUESTED not in internal["metadata"]["annotations"]
    assert platform.vm().status.phase == "Running"


def test_reverting_the_edit_clears_the_condition() -> None:
    platform = started(networks=[MAIN, BLUE])
    platform.edit(networks=[BLUE])
    platform.settle()
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None
    assert platform.vm().status.ip_address == "10.66.10.1"


def test_a_restart_approved_automatically_happens_once() -> None:
    platform = started(networks=[MAIN, BLUE], disruptions={"restartApprovalMode": "Automatic"})
    platform.edit(networks=[BLUE])
    platform.settle()
    assert "default" not in platform.nics()
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None


def test_implicit_main_made_explicit_writes_almost_nothing() -> None:
    platform = started()
    platform.writes.clear()
    for networks in ([], [MAIN], None):
        platform.edit(networks=networks)
        platform.settle()
    for write in platform.writes:
        assert write.kind in (kinds.VIRTUAL_MACHINE, kinds.INTERNAL_VM), write
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None
