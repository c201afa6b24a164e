"""Running a stage."""

from io import StringIO

import pytest

from tools.setup.stages import StageFailed, run_quietly


def test_a_good_stage_keeps_its_output_to_itself() -> None:
    out = StringIO()
    run_quietly("greeting", ["sh", "-c", "echo hello"], out=out)
    assert out.getvalue() == "setup: greeting\n"


def test_a_bad_stage_tells_its_last_lines() -> None:
    with pytest.raises(StageFailed, match=r"greeting failed \(sh exited 7\):\n  hello"):
        run_quietly("greeting", ["sh", "-c", "echo hello; exit 7"], out=StringIO())


def test_a_missing_command_is_named() -> None:
    with pytest.raises(StageFailed, match="no-such-command does not start"):
        run_quietly("greeting", ["no-such-command"], out=StringIO())


def test_a_long_stage_gives_signs_of_life() -> None:
    out = StringIO()
    run_quietly("reading", ["sh", "-c", "sleep 0.2"], out=out, beat_seconds=0.01)
    assert out.getvalue().count("setup: reading: 0 s") > 1
