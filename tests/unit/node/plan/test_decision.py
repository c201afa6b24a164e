"""What is written about a pod and its instance, in which order, and when nothing is."""

from dataclasses import replace
from typing import Any

import pytest

from reference_controller.api import kinds, names
from reference_controller.api.internal import Instance, LauncherPod
from reference_controller.api.view import Json
from reference_controller.api.writes import Delete, MergePatch, Write
from reference_controller.node.plan import decision
from reference_controller.node.plan.world import Guest, World
from tests.unit.node.plan import worlds
from tests.unit.node.plan.worlds import (
    ASK_BLUE,
    BLUE,
    LATER,
    MAIN,
    NOW,
    instance,
    pod,
    reported,
    running,
    world,
)


def patches(world: World) -> list[MergePatch]:
    return [write for write in decision.report(world).writes if isinstance(write, MergePatch)]


def status_of(world: World, kind: kinds.Kind) -> Json:
    (found,) = (one for one in patches(world) if one.kind == kind and "status" in one.body)
    status: Json = found.body["status"]
    return status


def written(world: World) -> World:
    """The world after its own report was stored, as the API server keeps it."""
    for write in patches(world):
        world = replace(world, **_stored(world, write))
    return world


def _stored(world: World, write: MergePatch) -> dict[str, Any]:
    if write.kind == kinds.POD:
        assert world.pod is not None
        return {"pod": LauncherPod.parse(_merged(world.pod.raw, write.body))}
    assert world.instance is not None
    return {"instance": Instance.parse(_merged(world.instance.raw, write.body))}


def _merged(old: Json, patch: Json) -> Json:
    """RFC 7386."""
    result = dict(old)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            inner = result.get(key)
            result[key] = _merged(inner if isinstance(inner, dict) else {}, value)
        else:
            result[key] = value
    return result


def test_a_running_guest_is_told_to_the_instance_before_the_pod() -> None:
    writes = decision.report(running([ASK_BLUE], BLUE).world).writes
    told = [write.kind for write in writes if isinstance(write, MergePatch)]
    assert told == [kinds.POD, kinds.INTERNAL_INSTANCE, kinds.POD]


def test_the_instance_is_running_on_its_node_with_its_interfaces() -> None:
    write = next(one for one in patches(running().world) if one.kind != kinds.POD)
    status = write.body["status"]
    assert (status["phase"], status["nodeName"]) == ("Running", "node-a")
    assert [one["name"] for one in status["interfaces"]] == ["default"]
    assert write.resource_version == "9"


@pytest.mark.parametrize("is_open", [True, False])
def test_the_agent_is_connected_as_long_as_its_port_is_open(is_open: bool) -> None:
    node = running()
    node.world = replace(node.world, guest=replace(_guest(node.world), agent_open=is_open))
    stored = status_of(node.world, kinds.INTERNAL_INSTANCE)["conditions"]
    assert ("AgentConnected" in {one["type"] for one in stored}) is is_open


def test_foreign_conditions_of_the_instance_stay() -> None:
    foreign = {"type": "LiveMigratable", "status": "True", "lastProbeTime": None}
    node = running()
    node.world = replace(node.world, instance=instance(MAIN, conditions=[foreign]))
    stored = status_of(node.world, kinds.INTERNAL_INSTANCE)["conditions"]
    assert stored[0] == foreign


def test_the_pod_is_ready_with_the_address_of_main() -> None:
    status = status_of(running().world, kinds.POD)
    assert (status["phase"], status["podIP"]) == ("Running", worlds.ADDRESS)
    assert {one["type"]: one["status"] for one in status["conditions"]} == {
        "PodScheduled": "True",
        "Initialized": "True",
        "ContainersReady": "True",
        "Ready": "True",
    }


def test_a_settled_world_is_silent_also_later() -> None:
    world = written(running([ASK_BLUE], BLUE).world)
    assert decision.report(world).writes == ()
    assert decision.report(replace(world, now=LATER)).writes == ()


def test_the_same_report_of_the_guest_again_writes_nothing() -> None:
    node = running()
    report = (reported("eno1", "02:00:00:00:00:01", "10.66.10.7/16", "fe80::1/64"),)
    world = written(replace(node.world, guest=replace(_guest(node.world), report=report)))
    again = replace(world, guest=replace(_guest(world), report=tuple(reversed(report))))
    assert decision.report(again).writes == ()


def test_a_guest_that_powered_off_ends_pod_and_instance() -> None:
    world = written(running().world)
    world = replace(world, guest=Guest(ended="Succeeded"), now=LATER)
    assert status_of(world, kinds.INTERNAL_INSTANCE)["phase"] == "Succeeded"
    status = status_of(world, kinds.POD)
    assert status["phase"] == "Succeeded"
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["startedAt"], ended["finishedAt"]) == (0, NOW, LATER)
    assert decision.report(written(world)).writes == ()


def test_a_finished_pod_loses_its_protection_only() -> None:
    finalizers = [names.POD_FINALIZER, "another"]
    gone = world(
        pod(phase="Succeeded", finalizers=finalizers),
        instance(MAIN, phase="Succeeded"),
        guest=Guest(ended="Succeeded"),
    )
    assert decision.report(gone).writes == (_finalizers("another"),)


def test_a_deleted_pod_is_let_go_once_its_guest_has_ended() -> None:
    deleted = pod(deletionTimestamp=NOW, finalizers=[names.POD_FINALIZER])
    node = running()
    node.world = replace(node.world, pod=deleted)
    assert decision.report(node.world).writes == ()
    node.settle()
    assert decision.report(node.world).writes == (_finalizers(), _deletion())


def test_a_deleted_pod_is_let_go_also_without_its_instance() -> None:
    deleted = pod(deletionTimestamp=NOW)
    assert decision.report(world(deleted)).writes == (_deletion(),)


def test_nothing_is_written_about_a_pod_of_another_node() -> None:
    elsewhere = replace(worlds.NODE, name="node-b")
    foreign = replace(world(pod(deletionTimestamp=NOW)), node=elsewhere)
    assert decision.report(foreign).writes == ()


def _guest(world: World) -> Guest:
    assert world.guest is not None
    return world.guest


def _finalizers(*rest: str) -> Write:
    body = {"metadata": {"finalizers": list(rest)}}
    return MergePatch(kinds.POD, "ns", "pod", body, resource_version="7")


def _deletion() -> Write:
    return Delete(kinds.POD, "ns", "pod", "p", grace_seconds=0)
