"""Runs probes where they may make namespaces and links, and where nothing of them stays."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.guest_image import GuestImage, ensure

ROOM = ("unshare", "-Urmpf", "--kill-child", "--mount-proc")
INSIDE = 'mount -t tmpfs tmpfs /run && exec "$@"'
SECONDS = 180

Probe = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def probe() -> Probe:
    """Runs a module of `probes` as root of namespaces of its own; gives what it printed."""

    def run(module: str, *arguments: str | Path) -> dict[str, Any]:
        words = [sys.executable, "-W", "error", "-m", module, *map(str, arguments)]
        ended = subprocess.run(
            [*ROOM, "sh", "-c", INSIDE, "sh", *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert ended.returncode == 0, ended.stderr[-4000:]
        told: dict[str, Any] = json.loads(ended.stdout)
        return told

    return run


@pytest.fixture(scope="session")
def image() -> GuestImage:
    """The guest image, made if need be."""
    return ensure()
