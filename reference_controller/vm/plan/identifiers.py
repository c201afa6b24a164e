"""Ids of networks: the position of a NIC on the guest's bus (spec 4.1, D10, D34, MC-04).

Main is always 1. An id, once given, stays with its (type, name): it is inherited from the stored
spec, or from a NIC that is still leaving. Others get the lowest that nobody holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reference_controller.api.networks import (
    FIRST_ADDITIONAL_ID,
    MAIN_ID,
    MAX_ID,
    NetworkEntry,
    NetworkKey,
    NetworkStatusEntry,
)


class Exhausted(Exception):
    """No id is left for a network; `key` names it."""

    def __init__(self, key: NetworkKey) -> None:
        super().__init__(f"no id between {FIRST_ADDITIONAL_ID} and {MAX_ID} is left for {key}")
        self.key = key


def assign(
    entries: Sequence[NetworkEntry],
    stored: Sequence[NetworkEntry],
    status: Sequence[NetworkStatusEntry],
) -> tuple[int, ...]:
    """An id for each of `entries`, in their order.

    Args:
        entries: the list as asked for; ids in it are taken as they are.
        stored: the list before the edit, whose ids are inherited.
        status: the VM's status.networks; it also holds ids of NICs that have not left yet.

    Raises:
        Exhausted: there is no id left.
    """
    inherited = _by_key(status) | _by_key(stored)
    # All explicit ids first: one further down the list must not be given away before (B15).
    taken = {entry.id for entry in entries if entry.id is not None}
    held = {entry.id for entry in status if entry.id is not None}
    result: list[int | None] = [entry.id for entry in entries]
    for position, entry in enumerate(entries):
        if result[position] is None:
            kept = _kept(entry.key, inherited)
            if kept is not None and kept not in taken:
                result[position] = kept
                taken.add(kept)
    lowest = FIRST_ADDITIONAL_ID
    for position, entry in enumerate(entries):
        if result[position] is not None:
            continue
        while lowest in taken or lowest in held:
            lowest += 1
        if lowest > MAX_ID:
            raise Exhausted(entry.key)
        result[position] = lowest
        taken.add(lowest)
    return tuple(number for number in result if number is not None)


def _kept(key: NetworkKey, inherited: Mapping[NetworkKey, int]) -> int | None:
    return MAIN_ID if key.main else inherited.get(key)


def _by_key(entries: Iterable[NetworkEntry | NetworkStatusEntry]) -> dict[NetworkKey, int]:
    return {entry.key: entry.id for entry in entries if entry.id is not None}
