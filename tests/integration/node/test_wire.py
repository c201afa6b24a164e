"""Links and DHCP on a real kernel, in the hands of an ordinary user's namespaces."""

from typing import Any

import pytest

from tests.integration.node.conftest import Probe


@pytest.fixture(scope="module")
def told(probe: Probe) -> dict[str, Any]:
    """What the probe saw."""
    return probe("tests.integration.node.probes.wire")


def test_a_network_is_a_bridge_here_and_in_the_hub_joined_by_one_veth(told: dict[str, Any]) -> None:
    assert told["made"] == [["b", "t", "u"], ["b", "d"]]


def test_nothing_is_left_after_removal(told: dict[str, Any]) -> None:
    assert told["removed"] == [[], []]


def test_a_link_that_cannot_be_made_says_which(told: dict[str, Any]) -> None:
    assert "tap t1 on blue of node-a" in told["early"]


def test_what_a_link_is_for_is_found_again(told: dict[str, Any]) -> None:
    assert told["found"] == {"t1": "uid/default", "blue": "ClusterNetwork//blue"}


@pytest.mark.parametrize(
    ("moment", "answer"),
    [
        ("unserved", "silence"),
        ("discover", "OFFER 10.66.10.5"),
        ("request", "ACK 10.66.10.5"),
        ("foreign", "silence"),
        ("renew", "ACK 10.66.10.5"),
        ("renew-after-change", "NAK 0.0.0.0"),
        ("discover-after-change", "OFFER 10.66.10.6"),
        ("after-down-and-up", "OFFER 10.66.10.6"),
        ("forgotten", "silence"),
    ],
)
def test_the_guest_is_answered_from_the_reservation_of_the_moment(
    told: dict[str, Any], moment: str, answer: str
) -> None:
    assert told[moment] == answer
