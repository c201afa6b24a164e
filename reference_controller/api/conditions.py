"""Conditions and their transitions (spec section 2, CN-02, CN-03)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from .view import Json, View

Status = Literal["True", "False", "Unknown"]


class Condition(View):
    """One metav1 condition as stored."""

    type: str = ""
    status: str = "Unknown"
    reason: str = ""
    message: str = ""
    observed_generation: int = 0
    last_transition_time: str = ""

    @property
    def true(self) -> bool:
        """Whether the status is True."""
        return self.status == "True"


def find(conditions: Iterable[Condition], kind: str) -> Condition | None:
    """The condition of type `kind`, or None."""
    return next((condition for condition in conditions if condition.type == kind), None)


def holds(conditions: Iterable[Condition], kind: str) -> bool:
    """Whether a condition of type `kind` is there and True."""
    found = find(conditions, kind)
    return found is not None and found.true


def wanted(
    kind: str, status: Status, reason: str, message: str = "", generation: int = 0
) -> Condition:
    """A condition that a plan wants; `merge` gives it its transition time.

    Without a `generation` none is stored: that of an object without status subresource moves with
    every write, so a condition would look stale for ever.
    """
    return Condition(
        type=kind, status=status, reason=reason, message=message, observed_generation=generation
    )


def merge(
    stored: Sequence[Json], wanted: Sequence[Condition], owned: Iterable[str], now: str
) -> list[Json]:
    """The list of conditions to store.

    Args:
        stored: the conditions of the object as the API server has them.
        wanted: what the writer wants to stand there now, in its order.
        owned: the types this writer is responsible for. An owned type that is not wanted is
            removed; every other type is handed on untouched and in place (CN-04).
        now: RFC 3339 time for a condition whose status or reason differs (spec section 2).
    """
    mine = set(owned) | {condition.type for condition in wanted}
    by_type = {condition.type: condition for condition in wanted}
    result: list[Json] = []
    for old in stored:
        kind = old.get("type", "")
        if kind not in mine:
            result.append(old)
        elif kind in by_type:
            result.append(_transition(old, by_type.pop(kind), now))
    result.extend(_transition({}, condition, now) for condition in by_type.values())
    return result


def _transition(old: Json, new: Condition, now: str) -> Json:
    moved = old.get("status") != new.status or old.get("reason") != new.reason
    condition: Json = {
        "type": new.type,
        "status": new.status,
        "reason": new.reason,
        "message": new.message,
        "lastTransitionTime": now if moved else old.get("lastTransitionTime", now),
    }
    if new.observed_generation:
        condition["observedGeneration"] = new.observed_generation
    return condition
