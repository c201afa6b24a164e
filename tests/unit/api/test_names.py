"""Derived names match the vectors of spec 1.2 and 4.1."""

import pytest

from reference_controller.api import names


@pytest.mark.parametrize("address", ["10.66.10.5", "192.168.200.254"])
def test_an_ip_lease_name_leads_back_to_its_address(address: str) -> None:
    assert names.ip_of_lease(names.ip_lease_name(address)) == address


def test_a_mac_lease_name_has_one_spelling() -> None:
    assert names.mac_lease_name("5E-E6-19-54-F9-BE") == "mac-5e-e6-19-54-f9-be"
    assert names.mac_of_lease("mac-5e-e6-19-54-f9-be") == "5e:e6:19:54:f9:be"


def test_foreign_lease_names_decode_to_nothing() -> None:
    assert names.ip_of_lease("ip-fe80--1") == ""
    assert names.mac_of_lease("mac-zz") == ""


def test_interface_names_follow_the_published_vector() -> None:
    assert names.interface_name("Network", "5e:e6:19:54:f9:be") == "veth_n99e3566e"
    assert names.interface_name("ClusterNetwork", "5e:e6:19:54:f9:be") == "veth_cn99e3566e"


def test_derived_names_depend_on_every_part() -> None:
    made = {
        names.derived_name("vm", "u", "Network", "x"),
        names.derived_name("vm", "u", "ClusterNetwork", "x"),
        names.derived_name("vm", "v", "Network", "x"),
        names.derived_name("vm", "u", "Network", "y"),
    }
    assert len(made) == 4
    assert all(name.startswith("vm-") for name in made)


def test_a_bridge_name_fits_ifnamsiz_and_tells_kinds_apart() -> None:
    bridges = {
        names.bridge_name("Network", "ns", "x"),
        names.bridge_name("ClusterNetwork", "", "x"),
        names.bridge_name("Network", "other", "x"),
    }
    assert len(bridges) == 3
    assert all(len(bridge) <= 15 for bridge in bridges)
