"""Runs probes where they may make namespaces and links; all they start ends with them."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tools.guest_image import GuestImage, ensure

ROOM = ("unshare", "-Urmpf", "--kill-child", "--mount-proc")
INSIDE = 'mount -t tmpfs tmpfs /run && exec "$@"'
SECONDS = 240
"""For a machine that is busy with other things; an idle one takes a tenth."""

Probe = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def image() -> GuestImage:
    """The guest image, made if need be."""
    return ensure()


@pytest.fixture(scope="session")
def probe(image: GuestImage) -> Probe:
    """Runs a probe on the image, as root of namespaces of its own; gives what it printed."""

    def run(name: str) -> dict[str, Any]:
        module = f"tests.integration.guests.probes.{name}"
        paths = (image.template.directory, image.kernel, image.initrd)
        words = [sys.executable, "-W", "error", "-m", module, *map(str, paths)]
        ended = subprocess.run(
            [*ROOM, "sh", "-c", INSIDE, "sh", *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert ended.returncode == 0, ended.stderr[-4000:]
        told: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
        return told

    return run
