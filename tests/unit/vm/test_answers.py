"""What counts as SDN's answer, and from which pods (HP-07, HP-25, B04, B05)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from reference_controller.api import kinds, names
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform

MAIN = {"type": "Main"}
BLUE = {"type": "ClusterNetwork", "name": "blue"}


def asked() -> tuple[Platform, Json]:
    """A running VM whose new network was asked of SDN, which is silent; and the request."""
    platform = Platform()
    platform.network("blue")
    platform.machine(networks=[MAIN])
    platform.settle()
    platform.silent_node = True
    platform.edit(networks=[MAIN, BLUE])
    platform.settle()
    (request,) = json.loads(pods(platform)[0]["metadata"]["annotations"][names.NETWORKS_SPEC])
    return platform, request


def pods(platform: Platform) -> list[Json]:
    return platform.api.all(kinds.POD)


def answer(platform: Platform, text: str, pod: str = "") -> None:
    name = pod or pods(platform)[0]["metadata"]["name"]
    body: Json = {"metadata": {"annotations": {names.NETWORKS_STATUS: text}}}
    platform.api.perform(MergePatch(kinds.POD, NAMESPACE, name, body))
    platform.settle()


def good(request: Json, **changes: Any) -> Json:
    condition = {"type": "Configured", "status": "True"}
    mine = {"type": request["type"], "name": request["name"], "ifName": request["ifName"]}
    return {**mine, "conditions": [condition], **changes}


def plugged(platform: Platform) -> int:
    body = platform.api.get(kinds.INTERNAL_VM, "vm")
    assert body is not None
    return len(body["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"]) - 1


@pytest.mark.parametrize(
    "changes",
    [
        {"ifName": "veth_cn00000000"},
        {"type": "Network"},
        {"name": "red"},
        {"conditions": []},
        {"conditions": [{"type": "Configured", "status": "False"}]},
        {"conditions": [{"type": "Configured", "status": "Unknown"}]},
        {"ipAddressConfigs": [{"name": "old", "address": "10.0.0.1"}]},
    ],
)
def test_other_answers_are_not_yet(changes: Json) -> None:
    platform, request = asked()
    answer(platform, json.dumps([good(request, **changes)]))
    assert plugged(platform) == 0
    found = platform.condition("ConfigurationApplied")
    assert found is not None
    assert "SDN" in found[2]
    answer(platform, json.dumps([good(request)]))
    assert plugged(platform) == 1
    assert platform.condition("ConfigurationApplied") is None


@pytest.mark.parametrize("text", ["", "[", "{}", "null", "[1]", "[" * 5000, '[{"type": 3}]'])
def test_malformed_answers_are_not_yet(text: str) -> None:
    platform, _ = asked()
    answer(platform, text)
    assert plugged(platform) == 0
    assert platform.vm().status.phase == "Running"


def test_every_active_pod_is_asked_and_awaited() -> None:
    platform, request = asked()
    first = pods(platform)[0]
    for name, status, more in (
        ("target", {"phase": "Running"}, {}),
        ("finished", {"phase": "Succeeded"}, {}),
        ("leaving", {"phase": "Running"}, {"deletionTimestamp": platform.clock()}),
        ("unlisted", {"phase": "Running"}, {}),
    ):
        copied = copy.deepcopy(first)
        copied["metadata"] = {
            "name": name,
            "namespace": NAMESPACE,
            "labels": first["metadata"]["labels"],
            "ownerReferences": first["metadata"]["ownerReferences"],
            **more,
        }
        made = platform.api.create(kinds.POD, {**copied, "status": status})
        if name != "unlisted":
            active: Json = {"status": {"activePods": {made["metadata"]["uid"]: "node-b"}}}
            patch = MergePatch(kinds.INTERNAL_INSTANCE, NAMESPACE, "vm", active)
            platform.api.perform(patch)
    platform.controller()
    wanted = {
        body["metadata"]["name"]: names.NETWORKS_SPEC in body["metadata"].get("annotations", {})
        for body in pods(platform)
    }
    assert wanted == {
        first["metadata"]["name"]: True,
        "target": True,
        "finished": False,
        "leaving": False,
        "unlisted": False,
    }
    text = json.dumps([good(request)])
    body: Json = {"metadata": {"annotations": {names.NETWORKS_STATUS: text}}}
    platform.api.perform(MergePatch(kinds.POD, NAMESPACE, first["metadata"]["name"], body))
    platform.controller()
    assert plugged(platform) == 0
    platform.api.perform(MergePatch(kinds.POD, NAMESPACE, "target", body))
    platform.controller()
    assert plugged(platform) == 1
