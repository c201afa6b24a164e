"""Runs one stage of set-up as a child process, with a sign of life every three seconds."""

import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TextIO

BEAT_SECONDS = 3.0
LAST_LINES = 20


class StageFailed(Exception):
    """A stage ended badly; the message holds the last lines that it said."""


def run_quietly(
    title: str,
    argv: Sequence[str],
    *,
    environ: Mapping[str, str] | None = None,
    out: TextIO | None = None,
    beat_seconds: float = BEAT_SECONDS,
) -> None:
    """Runs `argv`, keeping its output to itself unless it fails.

    Raises:
        StageFailed: it exited with another code than 0, or there is no such command.
    """
    stream = out or sys.stdout
    begun = time.monotonic()
    over = threading.Event()

    def beat() -> None:
        while not over.wait(beat_seconds):
            print(f"setup: {title}: {time.monotonic() - begun:.0f} s", file=stream, flush=True)

    print(f"setup: {title}", file=stream, flush=True)
    beater = threading.Thread(target=beat)
    beater.start()
    try:
        done = subprocess.run(
            argv,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as exc:
        raise StageFailed(f"{title}: {argv[0]} does not start: {exc.strerror}") from exc
    finally:
        over.set()
        beater.join()
    if done.returncode != 0:
        last = "\n".join(f"  {line}" for line in done.stdout.splitlines()[-LAST_LINES:])
        raise StageFailed(f"{title} failed ({argv[0]} exited {done.returncode}):\n{last}")
