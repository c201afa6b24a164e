"""Ids are inherited by type and name, and otherwise the lowest that nobody holds (B14, B15)."""

from __future__ import annotations

import pytest

from reference_controller.api.networks import NetworkEntry, NetworkStatusEntry
from reference_controller.vm.plan import identifiers


def entry(name: str, number: int | None = None) -> NetworkEntry:
    if name == "Main":
        return NetworkEntry(type="Main", id=number)
    return NetworkEntry(type="Network", name=name, id=number)


def leaving(name: str, number: int) -> NetworkStatusEntry:
    return NetworkStatusEntry(type="Network", name=name, id=number)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ([("Main", None)], (1,)),
        ([("Main", None), ("a", None), ("b", 2)], (1, 3, 2)),
        ([("a", 3), ("b", None), ("c", None)], (3, 2, 4)),
        ([("a", None)], (2,)),
        ([("a", 16383), ("b", None)], (16383, 2)),
    ],
)
def test_the_lowest_free_id_is_given(
    asked: list[tuple[str, int | None]], given: tuple[int, ...]
) -> None:
    assert identifiers.assign([entry(*item) for item in asked], (), ()) == given


def test_a_manifest_without_ids_inherits_them() -> None:
    stored = [entry("Main", 1), entry("a", 5), entry("b", 2)]
    asked = [entry("Main"), entry("b"), entry("a"), entry("c")]
    assert identifiers.assign(asked, stored, ()) == (1, 2, 5, 3)


def test_removing_the_middle_one_renumbers_nobody() -> None:
    stored = [entry("Main", 1), entry("a", 2), entry("b", 3), entry("c", 4)]
    assert identifiers.assign([entry("Main"), entry("a"), entry("c")], stored, ()) == (1, 2, 4)


def test_the_id_of_a_leaving_nic_is_not_given_away() -> None:
    stored = [entry("Main", 1), entry("b")]
    assert identifiers.assign([entry("Main"), entry("b")], stored, [leaving("a", 2)]) == (1, 3)


def test_a_network_that_comes_back_while_leaving_has_its_id_again() -> None:
    assert identifiers.assign([entry("a")], (), [leaving("a", 7)]) == (7,)


def test_an_inherited_id_that_somebody_asks_for_is_not_used_twice() -> None:
    asked = [entry("a"), entry("b", 2)]
    assert identifiers.assign(asked, [entry("a", 2)], ()) == (3, 2)


def test_exhaustion_is_an_error() -> None:
    held = [leaving(f"n{number}", number) for number in range(2, 16384)]
    with pytest.raises(identifiers.Exhausted, match="Network/a"):
        identifiers.assign([entry("a")], (), held)
