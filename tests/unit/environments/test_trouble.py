"""The last words of a process."""

from __future__ import annotations

from pathlib import Path

from e2e.environments.embedded import trouble


def test_tail(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert trouble.tail(log) == ()
    log.write_text("".join(f"line {number}\n" for number in range(9000)))
    assert trouble.tail(log, 2) == ("line 8998", "line 8999")


def test_tail_of_a_log_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"\xff\xfe\nx\n")
    assert trouble.tail(tmp_path / "log", 1) == ("x",)


def test_how_a_process_ended() -> None:
    assert trouble.how(3) == "ended with status 3"
    assert trouble.how(-9) == "was ended by signal 9 (Killed)"
