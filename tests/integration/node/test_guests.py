"""Real guests: they outlive the agent, are adopted, and their end is known."""

from pathlib import Path
from typing import Any

import pytest

from tests.integration.node.conftest import Probe
from tools.guest_image import GuestImage

MAIN = {"id": 1, "tap": "t1", "mac": "02:00:00:00:00:05"}


def files(image: GuestImage) -> list[str | Path]:
    """The options that name the image."""
    boot = image.template
    return [
        "--kernel", image.kernel, "--initrd", image.initrd, "--template", boot.directory,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def told(probe: Probe, image: GuestImage) -> dict[str, Any]:
    """What the probe saw."""
    return probe("tests.integration.node.probes.machines", *files(image))


def test_a_pod_that_was_only_admitted_has_no_guest(told: dict[str, Any]) -> None:
    assert told["admitted"] is None
    assert told["starting"] is True


def test_a_started_guest_has_its_nic_its_address_and_an_agent(told: dict[str, Any]) -> None:
    assert told["running"] == {"nics": [MAIN], "agent_open": True, "kernel": True}


def test_a_guest_outlives_the_agent_and_is_adopted(told: dict[str, Any]) -> None:
    assert told["adopted"] == [MAIN]


def test_an_unplug_does_not_wait_and_is_told_when_the_guest_let_go(told: dict[str, Any]) -> None:
    assert (told["leaving"], told["unplugged"]) == ([1], 0)


def test_a_power_off_inside_is_an_orderly_end_and_remembered(told: dict[str, Any]) -> None:
    assert (told["ended"], told["remembered"]) == ("Succeeded", "Succeeded")
    assert told["left"] == []


def test_the_floor_is_measured_in_consecutive_stages(probe: Probe, image: GuestImage) -> None:
    seconds = probe("tools.benchmarks.floor", *files(image), "--rounds", "1")
    assert list(seconds) == ["device_add", "guest_link", "lease", "unplug"]
    assert all(0 < value < 30 for value in seconds.values())
