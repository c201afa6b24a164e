"""Names of links fit into the kernel's limit and tell their users apart."""

from reference_controller.node.drivers import links


def test_names_fit_and_differ() -> None:
    uid = "05974935-f222-42b4-bee2-84278e5f46c2"
    names = {links.link_name("t", uid, interface) for interface in ("default", "veth_cn1")}
    assert len(names) == 2
    assert {len(name) for name in names} == {15}


def test_a_tap_has_a_high_address_of_its_own() -> None:
    first, second = links.tap_mac("t1"), links.tap_mac("t2")
    assert first != second
    assert first.startswith("fe:")
    assert len(first) == 17
