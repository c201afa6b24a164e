"""The vectors of spec 7.3, and what decision D21 adds to them."""

from ipaddress import ip_address, ip_interface

import pytest

from reference_controller.node.plan import merge

MAIN = "10.66.10.77"


@pytest.mark.parametrize(
    ("known", "reported", "shown"),
    [
        ([MAIN], [], [MAIN]),
        ([MAIN], ["fe80::1/64"], [MAIN, "fe80::1"]),
        ([MAIN], [f"{MAIN}/16", "fe80::1/64"], [MAIN, "fe80::1"]),
        ([MAIN], ["10.0.2.15/24"], [MAIN, "10.0.2.15"]),
        ([], ["192.168.200.4/24", "fe80::2/64"], ["192.168.200.4", "fe80::2"]),
        ([], ["fe80::2/64"], ["fe80::2"]),
        ([MAIN], ["fe80::1/64", "2001:db8::1/64", "10.0.2.2/24"],
         [MAIN, "10.0.2.2", "2001:db8::1", "fe80::1"]),
        ([MAIN], ["169.254.9.9/16", "2001:db8::1/64"], [MAIN, "2001:db8::1", "169.254.9.9"]),
        ([], [], []),
    ],
)  # fmt: skip
def test_what_is_known_stays_and_stays_first(
    known: list[str], reported: list[str], shown: list[str]
) -> None:
    found = merge.addresses(map(ip_address, known), map(ip_interface, reported))
    assert list(found) == shown


def test_the_order_of_the_report_does_not_matter() -> None:
    report = [ip_interface(text) for text in ("10.0.2.9/24", "10.0.2.3/24", "fe80::1/64")]
    assert merge.addresses((), report) == merge.addresses((), reversed(report))
