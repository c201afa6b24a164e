"""The controller dies after any single write: the end is as if it had not (FT-01, IA-06)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from reference_controller.api import kinds
from reference_controller.api.view import Json
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
BLUE = {"type": "ClusterNetwork", "name": "blue"}
POOL = {"type": "Network", "name": "pool"}


def before(networks: Any) -> Platform:
    platform = Platform()
    platform.pools = {"pool": ["192.168.0.4", "192.168.0.5"]}
    platform.network("blue")
    platform.network("pool", "Network", pool="p")
    platform.machine(networks=networks)
    platform.settle()
    platform.writes.clear()
    return platform


def plug(platform: Platform) -> None:
    platform.edit(networks=[MAIN, BLUE, POOL])


def unplug(platform: Platform) -> None:
    platform.edit(networks=[MAIN])


def replace(platform: Platform) -> None:
    platform.edit(networks=[MAIN, POOL])


def restart(platform: Platform) -> None:
    platform.edit(networks=[BLUE])
    platform.settle()
    platform.operate("Restart")


def leave(platform: Platform) -> None:
    platform.remove(kinds.VIRTUAL_MACHINE, "vm")


@pytest.mark.parametrize(
    ("networks", "act"),
    [
        ([MAIN], plug),
        ([MAIN, BLUE, POOL], unplug),
        ([MAIN, BLUE], replace),
        ([MAIN, BLUE], restart),
        ([MAIN, BLUE, POOL], leave),
    ],
)
def test_every_death_ends_alike(networks: Any, act: Callable[[Platform], None]) -> None:
    start = before(networks)
    reference = copy.deepcopy(start)
    act(reference)
    reference.settle()
    expected = summary(reference)
    for number in range(1, len(reference.writes) + 1):
        platform = copy.deepcopy(start)
        platform.dies_after = number
        act(platform)
        platform.settle()
        assert summary(platform) == expected, f"after write {number}"


def summary(platform: Platform) -> list[Json]:
    """What is there, without what differs between any two runs."""
    found: list[Json] = []
    for (kind, _, _), body in platform.api.objects.items():
        status = body.get("status", {})
        conditions = {item["type"]: item["status"] for item in status.get("conditions", [])}
        listed = [entry.get("name", "Main") for entry in status.get("networks", [])]
        shown = {key: status.get(key) for key in ("phase", "ipAddress", "printableStatus")}
        found.append({"kind": kind.kind, "conditions": conditions, "networks": listed, **shown})
    return sorted(found, key=str)
