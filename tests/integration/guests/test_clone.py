"""Real guests, cloned from the template: alone with themselves, plugged, changed, rebooted."""

from typing import Any

import pytest

from tests.integration.guests.conftest import Probe


@pytest.fixture(scope="module")
def clones(probe: Probe) -> dict[str, Any]:
    """What the probe of two clones saw."""
    return probe("clones")


@pytest.fixture(scope="module")
def changes(probe: Probe) -> dict[str, Any]:
    """What the probe of one guest's vicissitudes saw."""
    return probe("changes")


def test_clones_are_different_machines(clones: dict[str, Any]) -> None:
    first, second = (bytes.fromhex(one).split(b"\n", 3) for one in clones["selves"])
    assert (first[0], second[0]) == (b"first", b"second")
    for mine, other in zip(first, second, strict=True):
        assert mine != other


def test_a_clone_knows_the_time(clones: dict[str, Any]) -> None:
    # Not exact: the guest takes the time as it was when the agent was asked.
    assert clones["clock_off"] < 30


def test_a_guest_is_reached_by_ssh_at_its_address_and_link_locally(
    clones: dict[str, Any],
) -> None:
    assert clones["ssh_hostname"] == clones["ssh_link_local"] == "first"


def test_a_guest_has_the_tools_that_scenarios_use(clones: dict[str, Any]) -> None:
    assert clones["tools"] == ["5", "[{"]


def test_an_adopted_guest_tells_its_nics_itself(clones: dict[str, Any]) -> None:
    assert clones["adopted_nics"] == [[1, "t1x11", 1], [40, "t40x40", 2]]
    assert clones["agent_open"] is True


def test_an_unplugged_nic_is_gone_from_the_guest(clones: dict[str, Any]) -> None:
    assert clones["names_after_unplug"] == ["lo", "eno1"]


def test_a_full_machine_says_so_and_goes_on(clones: dict[str, Any]) -> None:
    assert "network 99 finds no free slot among 8" in clones["full"]
    assert clones["plugged"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert clones["still"] == "first"


def test_a_killed_guest_is_gone(clones: dict[str, Any]) -> None:
    assert (clones["state_after_kill"], clones["gone"]) == ("gone", True)


def test_a_changed_address_is_taken_at_renewal(changes: dict[str, Any]) -> None:
    assert changes["renewed_seconds"] < 30


def test_a_pulled_cable_makes_the_guest_ask_anew(changes: dict[str, Any]) -> None:
    # Renewal alone takes five seconds; so would this, if the guest missed the flap.
    assert changes["flapped_seconds"] < 4


def test_an_agent_that_ends_is_seen_to_go_and_to_come_back(changes: dict[str, Any]) -> None:
    assert (changes["agent_seen"], changes["agent_back"]) == (["closed", "open"], "lo")


def test_a_busy_guest_lets_its_nic_go_later(changes: dict[str, Any]) -> None:
    assert changes["kept_for_a_while"] == [1, 2]
    assert changes["slow_unplug_seconds"] > 1


def test_a_rebooted_guest_is_the_same_guest(changes: dict[str, Any]) -> None:
    assert (changes["hostname_after_reboot"], changes["another_boot"]) == ("only", True)


def test_a_guest_powers_down_when_asked(changes: dict[str, Any]) -> None:
    assert changes["powered_down"] is True
