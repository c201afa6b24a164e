"""Signs of life in a log."""

from collections.abc import Iterator
from io import StringIO

from tools.controlplane.progress import Progress


def ticking(*moments: float) -> Iterator[float]:
    """A clock that tells these moments one after the other."""
    yield from moments


def test_a_log_gets_a_line_every_three_seconds_and_one_at_the_end() -> None:
    moments = ticking(0, 1, 3.5, 4, 7, 8)
    out = StringIO()
    with Progress(out, lambda: next(moments)).counting("compiling", 9) as count:
        for done in (1, 2, 3, 4):
            count(done)
    assert out.getvalue().splitlines() == [
        "compiling: begins",
        "compiling: 2 of 9, 4 s",
        "compiling: 4 of 9, 7 s",
        "compiling: done after 8 s",
    ]


def test_waiting_says_for_what() -> None:
    out = StringIO()
    with Progress(out).waiting("waiting for another build"):
        pass
    assert out.getvalue() == "waiting for another build\n"
