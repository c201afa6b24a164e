"""The table of spec 3 with D8, D14, D22."""

from __future__ import annotations

from typing import Any

import pytest

from reference_controller.vm.plan import comparator

MAIN = {"type": "Main", "id": 1}
A = {"type": "ClusterNetwork", "name": "a", "id": 2}
B = {"type": "Network", "name": "b", "id": 3}


def action(old: Any, new: Any) -> str:
    entries = [comparator.entries({"networks": item}) for item in (old, new)]
    return comparator.networks_action(entries[0], entries[1])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, None),
        (None, []),
        (None, [MAIN]),
        ([], [MAIN]),
        ([MAIN, A], [MAIN, A]),
        ([MAIN, A, B], [MAIN, B, A]),
        ([{"type": "Main"}, {**A, "id": None}], [MAIN, A]),
    ],
)
def test_one_meaning_is_no_change(old: Any, new: Any) -> None:
    assert action(old, new) == "None"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, [MAIN, A]),
        ([MAIN], [MAIN, A]),
        ([MAIN, A], None),
        ([MAIN, A], [MAIN, B]),
        ([A], [A, B]),
        ([A, B], [B]),
        ([MAIN, A], [MAIN, {**A, "ipAddressName": "s"}]),
        ([MAIN, {**A, "ipAddressName": "s"}], [MAIN, A]),
        ([MAIN, A], [MAIN, {**A, "virtualMachineMACAddressName": "m"}]),
        ([MAIN, A], [MAIN, {**A, "id": 9}]),
    ],
)
def test_additional_networks_change_live(old: Any, new: Any) -> None:
    assert action(old, new) == "ApplyImmediate"


@pytest.mark.parametrize("main", [None, [], [MAIN], [MAIN, A]])
@pytest.mark.parametrize("other", [[A], [A, B]])
def test_main_comes_and_goes_by_restart(main: Any, other: Any) -> None:
    assert action(main, other) == "Restart"
    assert action(other, main) == "Restart"


def test_another_main_address_needs_a_restart() -> None:
    old = {"virtualMachineIPAddressName": "x"}
    changes = comparator.compare(old, {"virtualMachineIPAddressName": "y"})
    assert [change.encode() for change in changes] == [
        {
            "operation": "replace",
            "path": "virtualMachineIPAddress",
            "currentValue": "x",
            "desiredValue": "y",
        }
    ]


def test_what_was_or_will_be_absent_has_no_value() -> None:
    (added,) = comparator.compare({}, {"networks": [A]})
    assert added.encode() == {"operation": "add", "path": "networks", "desiredValue": [A]}
    (removed,) = comparator.compare({"networks": [A]}, {})
    assert removed.encode() == {"operation": "remove", "path": "networks", "currentValue": [A]}


def test_run_policy_and_approval_mode_are_no_matter_of_the_guest() -> None:
    new = {"runPolicy": "Manual", "disruptions": {"restartApprovalMode": "Automatic"}}
    assert comparator.compare({"runPolicy": "AlwaysOn"}, new) == ()
