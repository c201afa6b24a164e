"""The Node object and its Lease: how the node says that it is there."""

from __future__ import annotations

from reference_controller.api import conditions, names
from reference_controller.api.view import Json
from reference_controller.api.writes import difference

OWNED = ("Ready",)
LEASE_NAMESPACE = "kube-node-lease"
LEASE_SECONDS = 40
CAPACITY = {"cpu": "8", "memory": "32Gi", "pods": "110"}


def node(name: str) -> Json:
    """The body of the Node to register."""
    return {"metadata": {"name": name, **_marks(name)}, "spec": {}}


def marks(name: str, stored: Json) -> Json:
    """The merge patch that gives a Node its labels and annotations, or {}."""
    changes = difference(stored.get("metadata") or {}, _marks(name))
    return {"metadata": changes} if changes else {}


def status(stored: Json, now: str) -> Json:
    """The merge patch that makes a Node's status say Ready, or {}."""
    old = stored.get("status") or {}
    ready = conditions.wanted("Ready", "True", "NodeAgentReady", "the node agent serves guests")
    merged = conditions.merge(old.get("conditions") or [], [ready], OWNED, now)
    shown = [
        {**one, "lastHeartbeatTime": _heartbeat(old, now)} if one["type"] == "Ready" else one
        for one in (_as_node_condition(one) for one in merged)
    ]
    target: Json = {
        "conditions": shown,
        "capacity": CAPACITY,
        "allocatable": CAPACITY,
        "nodeInfo": {"kubeletVersion": "plumbline", "operatingSystem": "linux"},
    }
    changes = difference(old, target)
    return {"status": changes} if changes else {}


def lease(name: str, moment: str) -> Json:
    """The body of the Node's Lease, renewed at `moment` (RFC 3339 with microseconds)."""
    return {
        "metadata": {"name": name, "namespace": LEASE_NAMESPACE},
        "spec": {
            "holderIdentity": name,
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": moment,
        },
    }


def _marks(name: str) -> Json:
    return {
        "labels": {
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            names.VM_NODE_LABEL: "true",
        },
        "annotations": {names.TAP_BY_DVP: "true"},
    }


def _heartbeat(old: Json, now: str) -> str:
    """The Lease is the heartbeat; the condition's own time only follows its transitions."""
    for condition in old.get("conditions") or []:
        if condition.get("type") == "Ready" and condition.get("status") == "True":
            return str(condition.get("lastHeartbeatTime") or now)
    return now


def _as_node_condition(condition: Json) -> Json:
    return {key: value for key, value in condition.items() if key != "observedGeneration"}
