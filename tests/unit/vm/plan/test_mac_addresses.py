"""OUI of a cluster, generated addresses, and spelling (spec 1.2, MC-01, MC-05)."""

from __future__ import annotations

import pytest

from reference_controller.api import kinds, names
from reference_controller.vm.plan import mac_addresses
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform


@pytest.mark.parametrize(
    ("cluster", "oui"),
    [
        ("17eb5ee6-192c-4f5e-8d0a-6b1f0c2f9a11", "5e:e6:19"),
        ("8831e5c6-92d1-4f5e-8d0a-6b1f0c2f9a11", "c6:92:d1"),
        ("b7e15fbe-ca16-4f5e-8d0a-6b1f0c2f9a11", "be:ca:16"),
        ("d1cb2c60-90da-4d6e-8d0a-6b1f0c2f9a11", "da:4d:6e"),
        ("f2c41929-0000-4000-8000-000000000000", "f2:c4:19"),
        ("11111111-1111-1111-1111-1111111111e2", "e2:11:11"),
        ("11111111-1111-1111-1111-111111111111", "12:11:11"),
        ("31415131-1111-1111-1111-111111111111", "32:41:51"),
    ],
)
def test_the_oui_follows_from_the_cluster(cluster: str, oui: str) -> None:
    assert mac_addresses.oui(cluster) == oui


def test_what_is_no_uuid_has_no_oui() -> None:
    with pytest.raises(ValueError, match="UUID"):
        mac_addresses.oui("here")


def test_a_taken_address_is_passed_over() -> None:
    first = mac_addresses.generated("5e:e6:19", "uid", frozenset())
    second = mac_addresses.generated("5e:e6:19", "uid", {names.mac_lease_name(first)})
    assert first != second
    assert second.startswith("5e:e6:19:")
    assert first == mac_addresses.generated("5e:e6:19", "uid", frozenset())


def claim(platform: Platform, name: str, address: str) -> None:
    meta = {"name": name, "namespace": NAMESPACE}
    platform.api.create(kinds.VM_MAC_ADDRESS, {"metadata": meta, "spec": {"address": address}})


def test_spelling_hides_no_clash_and_causes_no_second_write() -> None:
    platform = Platform()
    claim(platform, "first", "5E-E6-19-00-00-01")
    platform.settle()
    claim(platform, "second", "5e:e6:19:00:00:01")
    platform.settle()
    first, second = platform.api.all(kinds.VM_MAC_ADDRESS)
    assert (first["status"]["address"], first["status"]["phase"]) == ("5e:e6:19:00:00:01", "Bound")
    assert second["status"]["phase"] == "Pending"
    assert second["status"]["conditions"][0]["reason"].endswith("AlreadyExists")
    platform.writes.clear()
    platform.wake_all()
    platform.settle()
    assert platform.writes == []


def test_the_address_is_given_on_when_its_holder_goes() -> None:
    platform = Platform()
    claim(platform, "first", "5e:e6:19:00:00:01")
    platform.settle()
    claim(platform, "second", "5e:e6:19:00:00:01")
    platform.settle()
    platform.remove(kinds.VM_MAC_ADDRESS, "first")
    platform.settle()
    (second,) = platform.api.all(kinds.VM_MAC_ADDRESS)
    assert second["status"]["phase"] == "Bound"
