"""Named MAC addresses: each entry gets its own, trouble leaves out only its network (D4, D33)."""

from __future__ import annotations

from typing import Any

from reference_controller.api import kinds
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
BLUE: dict[str, Any] = {"type": "ClusterNetwork", "name": "blue"}
ALSO_BLUE: dict[str, Any] = {"type": "Network", "name": "blue"}


def new_platform() -> Platform:
    platform = Platform()
    platform.network("blue")
    platform.network("blue", "Network")
    return platform


def mac(platform: Platform, name: str, address: str) -> None:
    meta = {"name": name, "namespace": NAMESPACE}
    platform.api.create(kinds.VM_MAC_ADDRESS, {"metadata": meta, "spec": {"address": address}})


def macs(platform: Platform) -> dict[str, str]:
    return {str(entry.key): entry.mac_address for entry in platform.vm().status.networks}


def test_the_entry_that_names_a_mac_gets_it() -> None:
    platform = new_platform()
    mac(platform, "m", "5e:e6:19:00:00:01")
    named = {**ALSO_BLUE, "virtualMachineMACAddressName": "m"}
    platform.machine(networks=[MAIN, BLUE, named])
    platform.settle()
    found = macs(platform)
    assert found["Network/blue"] == "5e:e6:19:00:00:01"
    assert found["ClusterNetwork/blue"] not in ("", "5e:e6:19:00:00:01")


def test_a_missing_mac_leaves_out_its_own_network_only() -> None:
    platform = new_platform()
    named = {**ALSO_BLUE, "virtualMachineMACAddressName": "m"}
    platform.machine(networks=[MAIN, BLUE, named])
    platform.settle()
    assert platform.vm().status.phase == "Running"
    assert len(platform.nics()) == 2
    found = platform.condition("VirtualMachineMACAddressReady")
    assert found is not None
    assert found[0] == "False"
    assert "'m' is not found" in found[2]
    mac(platform, "m", "5e:e6:19:00:00:01")
    platform.settle()
    assert len(platform.nics()) == 3
    assert platform.condition("VirtualMachineMACAddressReady") == (
        "True",
        "VirtualMachineMACAddressReady",
        "",
    )


def test_another_mac_replugs_the_nic_with_its_id() -> None:
    platform = new_platform()
    platform.machine(networks=[MAIN, BLUE])
    platform.settle()
    (entry,) = platform.vm().status.networks[1:]
    mac(platform, "m", "5e:e6:19:00:00:01")
    platform.slow_release = True
    platform.edit(networks=[MAIN, {**BLUE, "virtualMachineMACAddressName": "m"}])
    platform.settle()
    assert macs(platform)["ClusterNetwork/blue"] == entry.mac_address
    assert len(platform.nics()) == 2
    platform.slow_release = False
    platform.settle()
    (after,) = platform.vm().status.networks[1:]
    assert (after.id, after.mac_address) == (entry.id, "5e:e6:19:00:00:01")
    assert len(platform.nics()) == 2
    assert [body["metadata"]["name"] for body in platform.api.all(kinds.VM_MAC_ADDRESS)] == ["m"]
    assert platform.condition("AwaitingRestartToApplyConfiguration") is None


def test_a_mac_held_by_another_vm_is_explained() -> None:
    platform = new_platform()
    mac(platform, "m", "5e:e6:19:00:00:01")
    named = {**BLUE, "virtualMachineMACAddressName": "m"}
    platform.machine("first", networks=[MAIN, named])
    platform.settle()
    platform.machine(networks=[MAIN, named])
    platform.settle()
    found = platform.condition("VirtualMachineMACAddressReady")
    assert found is not None
    assert "held by VM 'first'" in found[2]
    platform.remove(kinds.VIRTUAL_MACHINE, "first")
    platform.settle()
    assert macs(platform)["ClusterNetwork/blue"] == "5e:e6:19:00:00:01"
    assert platform.api.get(kinds.VM_MAC_ADDRESS, "m") is not None
