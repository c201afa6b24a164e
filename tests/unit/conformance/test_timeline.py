"""The history of a scenario as a person reads it."""

from __future__ import annotations

from typing import Any

from fixtures.conformance.timeline import CHANGES_SHOWN, Timeline


def version(at: float, number: int, event: str, status: dict[str, Any]) -> dict[str, Any]:
    body = {
        "metadata": {"name": "web", "resourceVersion": str(number), "managedFields": [number]},
        "status": status,
    }
    head = {"kind": "object", "mono": at, "what": "vm", "name": "web", "uid": "u"}
    return {**head, "version": number, "event": event, "body": body}


def test_changes_are_told_by_their_paths() -> None:
    timeline = Timeline()
    ready = {"type": "Ready", "status": "False"}
    first = timeline.line(version(5.0, 1, "ADDED", {"phase": "Starting", "conditions": [ready]}))
    other = {"type": "Agent", "status": "True"}
    again = {"phase": "Running", "conditions": [other, {**ready, "status": "True"}]}
    second = timeline.line(version(6.5, 2, "MODIFIED", again))
    assert first == "+000.000  vm/web 1 ADDED\n"
    assert second.startswith("+001.500  vm/web 2 MODIFIED  status.phase: Starting -> Running;")
    assert "status.conditions[Ready].status: False -> True" in second
    assert "status.conditions[Agent].status: absent -> True" in second
    assert "managedFields" not in second
    assert timeline.line(version(7.0, 3, "DELETED", {})) == "+002.000  vm/web 3 DELETED\n"


def test_many_changes_are_counted_and_long_values_cut() -> None:
    timeline = Timeline()
    timeline.line(version(0.0, 1, "ADDED", {"a": 1}))
    status = {f"field{number}": "x" * 500 for number in range(CHANGES_SHOWN + 3)}
    line = timeline.line(version(1.0, 2, "MODIFIED", status))
    assert "and 4 more" in line
    assert len(line) < 2000


def test_other_records_are_told_with_their_fields() -> None:
    timeline = Timeline()
    head = {"seq": 1, "mono": 1.0, "wall": 2.0, "worker": "gw0", "scenario": "it"}
    told = {"kind": "finding", "message": "m", "traceback": "long", **head}
    assert timeline.line(told) == "+000.000  FINDING  message=m\n"
    assert timeline.line({"kind": "scenario-finished", **head}) == "+000.000  SCENARIO-FINISHED\n"
    assert timeline.line({"kind": "budget", **head}) == ""
