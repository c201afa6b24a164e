"""A network is Ready when it is built on every node, and only then."""

from typing import Any

from reference_controller.api.sdn import NetworkAttachment, NetworkObject
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch
from reference_controller.sdn.plan import network


def blue(**metadata: Any) -> NetworkObject:
    meta = {"name": "blue", "generation": 3, **metadata}
    return NetworkObject.parse({"kind": "ClusterNetwork", "metadata": meta, "spec": {}})


def attachment(node: str, ready: str = "True") -> NetworkAttachment:
    return NetworkAttachment.parse(
        {
            "metadata": {"name": f"br-{node}"},
            "spec": {"nodeName": node},
            "status": {"conditions": [{"type": "Ready", "status": ready}]},
        }
    )


def status(found: NetworkObject, *attachments: NetworkAttachment) -> Json:
    world = network.World(found, attachments, ("node-a", "node-b"), "2026-01-01T00:00:00Z")
    [patch] = network.decide(world).writes
    assert isinstance(patch, MergePatch)
    body: Json = patch.body["status"]
    return body


def ready(body: Json) -> tuple[str, str]:
    [condition] = [item for item in body["conditions"] if item["type"] == "Ready"]
    return condition["status"], condition["reason"]


def test_built_on_all_nodes_is_ready() -> None:
    body = status(blue(), attachment("node-a"), attachment("node-b"))
    assert ready(body) == ("True", "NetworkReady")
    assert body["readyNodeAttachementsCount"] == 2


def test_missing_on_one_node_is_not_ready_and_names_it() -> None:
    body = status(blue(), attachment("node-a"), attachment("node-b", "False"))
    assert ready(body)[0] == "False"
    assert "node-b" in body["conditions"][0]["message"]


def test_the_lever_makes_a_built_network_unready() -> None:
    held = blue(annotations={"plumbline.internal/unready": "true"})
    body = status(held, attachment("node-a"), attachment("node-b"))
    assert ready(body) == ("False", "HeldUnready")


def test_a_bridge_name_fits_a_linux_interface() -> None:
    assert 0 < len(status(blue())["bridgeName"]) <= 15


def test_a_reported_network_is_left_alone() -> None:
    attachments = (attachment("node-a"), attachment("node-b"))
    stored = NetworkObject.parse({**blue().raw, "status": status(blue(), *attachments)})
    world = network.World(stored, attachments, ("node-a", "node-b"), "2027-01-01T00:00:00Z")
    assert network.decide(world).writes == ()
