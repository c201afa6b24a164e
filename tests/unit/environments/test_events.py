"""What a rig and its starter tell each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.environments.embedded import events, options
from e2e.environments.embedded.events import (
    Event,
    Failed,
    Hello,
    Note,
    Ready,
    Reporter,
    StageDone,
    StageStarted,
    StillAt,
)
from e2e.environments.embedded.options import Options
from e2e.environments.embedded.recipes import GuestFiles
from tools.controlplane import ControlPlane


@pytest.mark.parametrize(
    "event",
    [
        Hello(),
        StageStarted("CRDs"),
        StillAt("CRDs", 3.1),
        StageDone("CRDs", 1.5),
        Note("x\ny"),
        Ready(12.0),
        Failed("etcd", "ended", ("a", "b")),
    ],
)
def test_an_event_survives_its_line(event: Event) -> None:
    line = events.encode(event)
    assert line.count("\n") == 1
    assert events.decode(line) == event


@pytest.mark.parametrize("line", ["", "Traceback (most recent call last):", "[]", '{"event": 1}'])
def test_other_output_is_no_event(line: str) -> None:
    with pytest.raises(ValueError):
        events.decode(line)


def test_a_stage_tells_its_beginning_and_its_end() -> None:
    told: list[Event] = []
    times = iter((1.0, 4.5, 6.0))
    reporter = Reporter(told.append, lambda: next(times))
    reporter.still()
    with reporter.stage("CRDs"):
        reporter.still()
    reporter.still()
    assert told == [StageStarted("CRDs"), StillAt("CRDs", 3.5), StageDone("CRDs", 5.0)]


def test_a_stage_that_fails_has_no_end() -> None:
    told: list[Event] = []
    reporter = Reporter(told.append, lambda: 0.0)
    with pytest.raises(RuntimeError), reporter.stage("CRDs"):
        raise RuntimeError
    assert told == [StageStarted("CRDs")]


@pytest.mark.parametrize("optional", [None, Path("/w.yaml")])
def test_options_survive_their_line(optional: Path | None) -> None:
    given = Options(
        pid=17,
        name="local",
        binaries=ControlPlane.inside(Path("/bin")),
        guest=GuestFiles(Path("/k"), Path("/i"), Path("/t")),
        argv=("a", "b c"),
        controller="a 'b c'",
        webhooks=optional,
        exported=optional,
    )
    line = options.encode(given)
    assert line.count(b"\n") == 1
    assert options.decode(line) == given
