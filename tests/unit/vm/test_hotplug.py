"""The hotplug story on the pure plans: start, plug, wait for SDN, unplug, release, restart."""

from __future__ import annotations

import json
from typing import Any

from reference_controller.api import kinds, names
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
BLUE = {"type": "ClusterNetwork", "name": "blue"}
RED = {"type": "Network", "name": "red"}


def started(**spec: Any) -> Platform:
    platform = Platform()
    platform.network("blue")
    platform.network("red", "Network")
    platform.machine(**spec)
    platform.settle()
    return platform


def test_a_vm_with_main_runs_with_its_address() -> None:
    platform = started()
    vm = platform.vm()
    assert vm.status.phase == "Running"
    assert vm.status.ip_address == "10.66.10.1"
    assert [entry.type for entry in vm.status.networks] == ["Main"]
    assert platform.condition("NetworkReady") is None
    pod = platform.api.all(kinds.POD)[0]
    assert pod["metadata"]["annotations"][names.POD_ADDRESS] == "10.66.10.1"
    assert names.NETWORKS_SPEC not in pod["metadata"]["annotations"]


def test_a_network_is_plugged_without_restart() -> None:
    platform = started()
    instance = platform.api.get(kinds.INTERNAL_INSTANCE, "vm")
    assert instance is not None
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    after = platform.api.get(kinds.INTERNAL_INSTANCE, "vm")
    assert after is not None
    assert after["metadata"]["uid"] == instance["metadata"]["uid"]
    entry = platform.vm().status.networks[1]
    mac = platform.api.all(kinds.VM_MAC_ADDRESS)[0]
    assert (entry.id, entry.mac_address) == (2, mac["status"]["address"])
    assert entry.mac_name == mac["metadata"]["name"]
    assert mac["status"]["phase"] == "Attached"
    nic = platform.nics()[names.interface_name("ClusterNetwork", entry.mac_address)]
    assert (nic["acpiIndex"], nic["macAddress"]) == (2, entry.mac_address)
    assert platform.condition("NetworkReady") == ("True", "NetworkReady", "")
    assert platform.condition("ConfigurationApplied") is None


def test_nothing_is_plugged_before_sdn_has_answered() -> None:
    platform = started()
    platform.held = {"blue"}
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    assert list(platform.nics()) == ["default"]
    found = platform.condition("ConfigurationApplied")
    assert found is not None
    assert found[:2] == ("False", "ConfigurationNotApplied")
    assert "SDN" in found[2]
    platform.held = set()
    platform.settle()
    assert len(platform.nics()) == 2
    assert platform.condition("ConfigurationApplied") is None


def test_one_network_without_answer_does_not_hold_up_another() -> None:
    platform = started()
    platform.refused = {"blue"}
    platform.edit(networks=[MAIN, BLUE, RED])
    platform.settle()
    assert len(platform.nics()) == 2
    found = platform.condition("NetworkReady")
    assert found is not None
    assert "ClusterNetwork/blue" in found[2]
    assert "no free slot" in found[2]
    assert "Network/red)" not in found[2]


def test_unplug_releases_everything_after_the_guest_let_go() -> None:
    platform = started(networks=[MAIN, BLUE])
    platform.slow_release = True
    platform.edit(networks=[MAIN])
    platform.settle()
    assert [entry.type for entry in platform.vm().status.networks] == ["Main", "ClusterNetwork"]
    assert len(platform.api.all(kinds.VM_MAC_ADDRESS_LEASE)) == 1
    assert platform.condition("NetworkReady") is None
    platform.slow_release = False
    platform.settle()
    assert [entry.type for entry in platform.vm().status.networks] == ["Main"]
    assert platform.api.all(kinds.VM_MAC_ADDRESS) == []
    assert platform.api.all(kinds.VM_MAC_ADDRESS_LEASE) == []
    assert list(platform.nics()) == ["default"]
    template = platform.api.get(kinds.INTERNAL_VM, "vm")
    assert template is not None
    inner = template["spec"]["template"]
    assert len(inner["spec"]["domain"]["devices"]["interfaces"]) == 1
    assert names.NETWORKS_SPEC not in inner["metadata"]["annotations"]


def test_a_network_that_is_not_ready_is_plugged_when_it_is() -> None:
    platform = started()
    platform.ready("blue", ready=False)
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    assert list(platform.nics()) == ["default"]
    found = platform.condition("NetworkReady")
    assert found is not None
    assert "ClusterNetwork/blue" in found[2]
    platform.ready("blue")
    platform.settle()
    assert len(platform.nics()) == 2
    platform.ready("blue", ready=False)
    platform.settle()
    assert len(platform.nics()) == 2
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None


def test_stop_and_start_keep_macs_and_addresses() -> None:
    platform = started(networks=[MAIN, BLUE])
    before = platform.vm().status
    platform.operate("Stop", "stop")
    platform.settle()
    assert platform.vm().status.phase == "Stopped"
    assert platform.vm().status.networks == before.networks
    platform.operate("Start", "start")
    platform.settle()
    assert platform.vm().status.phase == "Running"
    assert platform.vm().status.networks == before.networks
    assert platform.vm().status.ip_address == before.ip_address
    for name in ("stop", "start"):
        operation = platform.api.get(kinds.VM_OPERATION, name)
        assert operation is not None
        assert operation["status"]["phase"] == "Completed"


def test_a_deleted_vm_leaves_nothing_but_a_released_lease() -> None:
    platform = started(networks=[MAIN, BLUE])
    platform.remove(kinds.VIRTUAL_MACHINE, "vm")
    platform.settle()
    kept = {key[0] for key in platform.api.objects}
    assert kept == {
        kinds.VIRTUAL_MACHINE_CLASS,
        kinds.CLUSTER_VIRTUAL_IMAGE,
        kinds.CLUSTER_NETWORK,
        kinds.NETWORK,
        kinds.VM_IP_ADDRESS_LEASE,
    }
    lease = platform.api.all(kinds.VM_IP_ADDRESS_LEASE)[0]
    assert lease["status"]["phase"] == "Released"


def test_five_cycles_end_alike() -> None:
    platform = started()
    for _ in range(5):
        platform.edit(networks=[MAIN, BLUE])
        platform.settle()
        assert len(platform.nics()) == 2
        assert len(platform.api.all(kinds.VM_MAC_ADDRESS_LEASE)) == 1
        platform.edit(networks=None)
        platform.settle()
        assert list(platform.nics()) == ["default"]
        assert platform.api.all(kinds.VM_MAC_ADDRESS_LEASE) == []


def test_a_replacement_keeps_ids_apart() -> None:
    platform = started(networks=[MAIN, BLUE])
    platform.edit(networks=[MAIN, RED])
    platform.settle()
    entry = platform.vm().status.networks[1]
    assert (entry.type, entry.name, entry.id) == ("Network", "red", 3)
    assert len(platform.nics()) == 2


def test_a_settled_platform_is_silent() -> None:
    platform = started(networks=[MAIN, BLUE, RED])
    platform.writes.clear()
    platform.seconds += 100
    platform.wake_all()
    platform.settle()
    assert platform.writes == []


def test_automatic_addresses_come_and_go_with_their_network() -> None:
    platform = Platform()
    platform.pools = {"pool": ["192.168.0.4"]}
    platform.network("pool", pool="p")
    platform.machine(networks=[MAIN, {"type": "ClusterNetwork", "name": "pool"}])
    platform.settle()
    assert platform.vm().status.networks[1].ip_address == "192.168.0.4"
    pod = platform.api.all(kinds.POD)[0]
    request = json.loads(pod["metadata"]["annotations"][names.NETWORKS_SPEC])[0]
    assert request["ipAddressNames"] == [platform.api.all(kinds.IP_ADDRESS)[0]["metadata"]["name"]]
    platform.edit(networks=[MAIN])
    platform.settle()
    assert platform.api.all(kinds.IP_ADDRESS) == []
