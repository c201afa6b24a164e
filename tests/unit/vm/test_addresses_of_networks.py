"""Automatic and static addresses of additional networks (spec 5, D5, D13, D32, B31, B39)."""

from __future__ import annotations

from typing import Any

import pytest

from reference_controller.api import kinds
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
POOL: dict[str, Any] = {"type": "ClusterNetwork", "name": "pool"}
LAYER_2: dict[str, Any] = {"type": "ClusterNetwork", "name": "l2"}


def platform_with(*addresses: str) -> Platform:
    platform = Platform()
    platform.pools = {"pool": list(addresses)}
    platform.network("pool", pool="p")
    platform.network("other", pool="p")
    platform.network("l2")
    return platform


def static(platform: Platform, name: str, ip: str, network: str = "pool") -> None:
    meta = {"name": name, "namespace": NAMESPACE}
    reference = {"kind": "ClusterNetwork", "name": network}
    spec = {"networkRef": reference, "type": "Static", "static": {"ip": ip}}
    platform.api.create(kinds.IP_ADDRESS, {"metadata": meta, "spec": spec})


def message(platform: Platform, name: str = "vm") -> str:
    found = platform.condition("NetworkReady", name)
    assert found is not None
    assert found[0] == "False"
    return found[2]


def test_an_exhausted_pool_blocks_nothing_and_heals() -> None:
    platform = platform_with("10.0.0.1")
    platform.machine("first", networks=[MAIN, POOL])
    platform.settle()
    platform.machine("second", networks=[MAIN, POOL, LAYER_2])
    platform.settle()
    assert platform.vm("second").status.phase == "Running"
    assert len(platform.nics("second")) == 2
    assert "ClusterNetwork/pool" in message(platform, "second")
    assert "NoFreeIPAddress" in message(platform, "second")
    platform.remove(kinds.VIRTUAL_MACHINE, "first")
    platform.settle()
    assert platform.vm("second").status.networks[1].ip_address == "10.0.0.1"
    assert platform.condition("NetworkReady", "second") == ("True", "NetworkReady", "")


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        ({**POOL, "ipAddressName": "none"}, ["ClusterNetwork/pool", "'none'", "not found"]),
        ({**POOL, "ipAddressName": "elsewhere"}, ["ClusterNetwork/pool", "ClusterNetwork/other"]),
        ({**LAYER_2, "ipAddressName": "mine"}, ["ClusterNetwork/l2", "no address pool"]),
        ({**POOL, "ipAddressName": "taken"}, ["'taken'", "NoFreeIPAddress"]),
    ],
)
def test_what_is_wrong_is_said_and_blocks_nothing(entry: Any, tokens: list[str]) -> None:
    platform = platform_with("10.0.0.1")
    static(platform, "elsewhere", "10.0.0.1", "other")
    static(platform, "taken", "10.9.9.9")
    platform.machine(networks=[MAIN, entry])
    platform.settle()
    assert platform.vm().status.phase == "Running"
    assert list(platform.nics()) == ["default"]
    for token in tokens:
        assert token in message(platform)


def test_the_holder_keeps_a_static_address() -> None:
    platform = platform_with("10.0.0.1")
    static(platform, "s", "10.0.0.1")
    entry = {**POOL, "ipAddressName": "s"}
    platform.machine("first", networks=[MAIN, entry])
    platform.settle()
    platform.machine("second", networks=[MAIN, entry])
    platform.settle()
    assert "used by VM 'first'" in message(platform, "second")
    assert platform.condition("NetworkReady", "first") == ("True", "NetworkReady", "")
    platform.remove(kinds.VIRTUAL_MACHINE, "first")
    platform.settle()
    assert platform.vm("second").status.networks[1].ip_address == "10.0.0.1"
    assert platform.api.get(kinds.IP_ADDRESS, "s") is not None


def test_automatic_to_static_and_back_without_a_new_nic() -> None:
    platform = platform_with("10.0.0.1", "10.0.0.2")
    platform.machine(networks=[MAIN, POOL])
    platform.settle()
    before = platform.nics()
    static(platform, "s", "10.0.0.2")
    platform.edit(networks=[MAIN, {**POOL, "ipAddressName": "s"}])
    platform.settle()
    assert platform.nics() == before
    assert platform.vm().status.networks[1].ip_address == "10.0.0.2"
    assert [body["metadata"]["name"] for body in platform.api.all(kinds.IP_ADDRESS)] == ["s"]
    platform.edit(networks=[MAIN, POOL])
    platform.settle()
    assert platform.nics() == before
    assert platform.vm().status.networks[1].ip_address == "10.0.0.1"
    assert len(platform.api.all(kinds.IP_ADDRESS)) == 2


def test_an_unusable_name_takes_nothing_from_a_running_nic() -> None:
    platform = platform_with("10.0.0.1")
    platform.machine(networks=[MAIN, POOL])
    platform.settle()
    platform.edit(networks=[MAIN, {**POOL, "ipAddressName": "none"}])
    platform.settle()
    assert platform.vm().status.networks[1].ip_address == "10.0.0.1"
    assert len(platform.nics()) == 2
    assert "not found" in message(platform)


def test_a_slow_guest_keeps_its_address_until_it_has_let_go() -> None:
    platform = platform_with("10.0.0.1")
    platform.machine("first", networks=[MAIN, POOL])
    platform.machine("second", networks=[MAIN])
    platform.settle()
    platform.slow_release = True
    platform.edit("first", networks=[MAIN])
    platform.edit("second", networks=[MAIN, POOL])
    platform.settle()
    assert len(platform.api.all(kinds.IP_ADDRESS)) == 2
    assert "NoFreeIPAddress" in message(platform, "second")
    platform.slow_release = False
    platform.settle()
    assert platform.vm("second").status.networks[1].ip_address == "10.0.0.1"


def test_a_stopped_vm_keeps_its_address_and_releases_what_is_removed_at_once() -> None:
    platform = platform_with("10.0.0.1")
    platform.machine(networks=[MAIN, POOL])
    platform.settle()
    platform.operate("Stop")
    platform.settle()
    assert platform.vm().status.networks[1].ip_address == "10.0.0.1"
    platform.edit(networks=[MAIN])
    platform.settle()
    assert platform.api.all(kinds.IP_ADDRESS) == []
    assert platform.api.all(kinds.VM_MAC_ADDRESS_LEASE) == []
