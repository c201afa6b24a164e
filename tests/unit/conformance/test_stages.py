"""Where the time between an edit and the guest went."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.conformance.stages import Trail

NETWORK = {"type": "ClusterNetwork", "name": "blue"}
NIC = "veth_cn12345678"
POD = {
    "metadata": {"labels": {"vm.kubevirt.internal.virtualization.deckhouse.io/name": "web"}},
}


def seen(trail: Trail, at: float, what: str, body: dict[str, Any], event: str = "MODIFIED") -> None:
    name = {"pod": "launcher", "vmmac": "mac-1"}.get(what, "web")
    trail.take(
        {"kind": "object", "what": what, "name": name, "event": event, "mono": at, "body": body}
    )


def mark(trail: Trail, at: float, name: str, **fields: Any) -> None:
    told = {"machine": "web", "network": "ClusterNetwork/blue", **fields}
    trail.take({"kind": "mark", "name": name, "mono": at, **told})


def pod(spec: list[Any] | None, status: list[Any] | None = None) -> dict[str, Any]:
    annotations = {}
    if spec is not None:
        annotations["network.deckhouse.io/networks-spec"] = json.dumps(spec)
    if status is not None:
        annotations["network.deckhouse.io/networks-status"] = json.dumps(status)
    return {"metadata": {**POD["metadata"], "annotations": annotations}}


def nics(*found: dict[str, Any]) -> dict[str, Any]:
    return {"domain": {"devices": {"interfaces": list(found)}}}


ASKED = [{**NETWORK, "id": 2, "ifName": NIC}]
HEALTHY = [{**NETWORK, "conditions": [{"type": "Configured", "status": "True"}]}]
MAIN = {"name": "default"}


def plug(trail: Trail, start: float) -> None:
    """Each stage takes one second more than the one before it."""
    seen(trail, start - 1, "vm", {"spec": {"networks": [{"type": "Main"}]}})
    seen(trail, start - 1, "pod", pod(None))
    seen(trail, start - 1, "intvirtvmi", {"spec": nics(MAIN)})
    mark(trail, start, "plug")
    seen(trail, start + 1, "vm", {"spec": {"networks": [{**NETWORK, "id": 2}]}})
    seen(trail, start + 2, "vmmac", {"status": {}})
    seen(trail, start + 3, "vmmac", {"status": {"address": "02:00:00:00:00:01"}})
    status = [{**NETWORK, "virtualMachineMACAddressName": "mac-1"}]
    seen(trail, start + 4, "vm", {"spec": {"networks": []}, "status": {"networks": status}})
    seen(trail, start + 6, "pod", pod(ASKED))
    seen(trail, start + 7, "pod", pod(ASKED, [{**NETWORK, "conditions": []}]))
    seen(trail, start + 10, "pod", pod(ASKED, HEALTHY))
    seen(
        trail, start + 15, "intvirtvm", {"spec": {"template": {"spec": nics(MAIN, {"name": NIC})}}}
    )
    seen(trail, start + 21, "intvirtvmi", {"spec": nics(MAIN, {"name": NIC})})
    reported = {"interfaces": [{"name": "default"}, {"name": NIC}]}
    seen(trail, start + 28, "intvirtvmi", {"spec": nics({"name": NIC}), "status": reported})
    mark(trail, start + 60, "guest-link", seen=start + 36)
    mark(trail, start + 60, "guest-lease", seen=start + 45)


def test_a_plug_is_split_into_its_stages() -> None:
    trail = Trail()
    plug(trail, 100.0)
    assert trail.stages() == {
        "admission": 1.0,
        "claim": 2.0,
        "networks-spec": 3.0,
        "networks-status": 4.0,
        "KVVM": 5.0,
        "VMI": 6.0,
        "device_add": 7.0,
        "guest link": 8.0,
        "lease": 9.0,
    }


def test_an_unplug_is_split_into_its_stages() -> None:
    trail = Trail()
    plug(trail, 100.0)
    mark(trail, 200.0, "unplug")
    seen(trail, 201.0, "vm", {"spec": {"networks": [{"type": "Main"}]}})
    seen(trail, 203.0, "pod", pod(None))
    absent = {"name": NIC, "state": "absent"}
    seen(trail, 206.0, "intvirtvm", {"spec": {"template": {"spec": nics(MAIN, absent)}}})
    both = {"interfaces": [{"name": "default"}, {"name": NIC}]}
    seen(trail, 210.0, "intvirtvmi", {"spec": nics(MAIN, absent), "status": both})
    mark(trail, 260.0, "guest-link-gone", seen=215.0)
    main = {"interfaces": [{"name": "default"}]}
    seen(trail, 221.0, "intvirtvmi", {"spec": nics(MAIN), "status": main})
    unplug = {name: t for name, t in trail.stages().items() if name.startswith("unplug ")}
    assert unplug == {
        "unplug admission": 1.0,
        "unplug networks-spec": 2.0,
        "unplug KVVM": 3.0,
        "unplug VMI": 4.0,
        "unplug guest link": 5.0,
        "unplug device_del": 6.0,
    }


def test_what_arrives_out_of_order_counts_as_nothing() -> None:
    trail = Trail()
    mark(trail, 10.0, "plug")
    seen(trail, 11.0, "pod", pod(ASKED))
    seen(trail, 11.5, "vm", {"spec": {"networks": [{**NETWORK, "id": 2}]}})
    assert trail.stages() == {"admission": 1.5, "networks-spec": 0.0}


def test_the_slowest_of_several_edits_is_told() -> None:
    trail = Trail()
    for start, name in ((10.0, "blue"), (20.0, "green")):
        mark(trail, start, "plug", network=f"ClusterNetwork/{name}")
    networks = [{**NETWORK, "id": 2}, {"type": "ClusterNetwork", "name": "green", "id": 3}]
    seen(trail, 25.0, "vm", {"spec": {"networks": networks}})
    assert trail.stages() == {"admission": 15.0}


def test_a_mark_belongs_to_the_last_edit_of_its_network() -> None:
    trail = Trail()
    mark(trail, 10.0, "guest-link", seen=9.0)
    mark(trail, 20.0, "plug")
    mark(trail, 30.0, "guest-link", seen=22.0)
    mark(trail, 30.0, "guest-link", seen=29.0)
    assert trail.stages() == {"guest link": 2.0}


def test_other_machines_and_deletions_say_nothing() -> None:
    trail = Trail()
    mark(trail, 10.0, "plug", machine="other")
    seen(trail, 11.0, "vm", {"spec": {"networks": [{**NETWORK, "id": 2}]}})
    mark(trail, 12.0, "plug")
    seen(trail, 13.0, "vm", {"spec": {"networks": [{**NETWORK, "id": 2}]}}, event="DELETED")
    assert trail.stages() == {}


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("vm", {"spec": {"networks": "no list"}, "status": None}),
        ("vm", {"spec": {"networks": [1, None, {"type": None}]}}),
        ("pod", {"metadata": {**POD["metadata"], "annotations": {}}}),
        ("pod", pod(None) | {"spec": 1}),
        ("pod", {"metadata": {"labels": {"vm.kubevirt.io/name": "web"}}}),
        ("pod", {"metadata": None}),
        ("intvirtvm", {"spec": {"template": {"spec": {"domain": []}}}}),
        ("intvirtvmi", {"status": {"interfaces": [{"name": {}}, 7]}}),
        ("vmmac", {}),
        ("event", {"message": "m"}),
    ],
)
def test_malformed_objects_say_nothing(what: str, body: dict[str, Any]) -> None:
    trail = Trail()
    mark(trail, 10.0, "plug")
    seen(trail, 11.0, what, body)
    assert trail.stages() == {}


@pytest.mark.parametrize("text", ["", "{", "null", "7", '[1, "x"]', '{"a": 1}'])
def test_malformed_annotations_say_nothing(text: str) -> None:
    trail = Trail()
    mark(trail, 10.0, "plug")
    names = ("networks-spec", "networks-status")
    annotations = {f"network.deckhouse.io/{name}": text for name in names}
    seen(trail, 11.0, "pod", {"metadata": {**POD["metadata"], "annotations": annotations}})
    assert trail.stages() == {}
