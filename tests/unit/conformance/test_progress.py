"""What a person at a terminal is told while a run lasts."""

from __future__ import annotations

from typing import Any

from fixtures.conformance.progress import QUIET, QUIETER, Progress


def test_ends_troubles_and_leaks_are_told(story: Any) -> None:
    lines: list[str] = []
    progress = Progress(lines.append, now=0.0)
    story.plans("good")
    story.plans("bad")
    story.executes("good")
    story.executes("bad", "failed")
    story.told()
    plan = [{**each, "clauses": list(each["clauses"])} for each in story.plan]
    progress.take({"kind": "run", "clauses": [], "plan": plan}, 0.0)
    for record in story.records:
        progress.take(record, record["mono"])
    assert lines[0] == "[1/2] ok           good  3.0 s"
    assert lines[1].startswith("[2/2] FAILED       bad  4.0 s\n      call: E: m")
    assert not progress.broken

    progress.take({"kind": "leak", "what": "namespace x"}, 20.0)
    progress.take({"kind": "trouble", "what": "undefined step"}, 20.0)
    assert lines[2:] == ["leaked: namespace x", "undefined step"]
    assert progress.broken


def test_a_quiet_while_is_explained_and_less_often_after_that() -> None:
    lines: list[str] = []
    progress = Progress(lines.append, now=0.0)
    progress.doing = "measuring"
    progress.wait(QUIET / 2)
    assert lines == []
    progress.wait(QUIET)
    started = {"kind": "scenario-started", "scenario": "it", "worker": "gw0", "mono": 1.0}
    progress.take(started, QUIET)
    progress.wait(QUIET * 2)
    progress.wait(QUIET + QUIETER)
    assert lines == ["  still measuring", "  still at it (10 s)"]
