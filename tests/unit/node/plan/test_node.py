"""The Node object and its Lease."""

from reference_controller.api import names
from reference_controller.node.plan import node
from tests.unit.node.plan.worlds import LATER, NOW


def test_a_registered_node_that_is_ready_needs_no_further_write() -> None:
    stored = node.node("node-a")
    assert stored["metadata"]["labels"][names.VM_NODE_LABEL] == "true"
    assert names.TAP_BY_DVP in stored["metadata"]["annotations"]
    stored["status"] = node.status(stored, NOW)["status"]
    assert node.marks("node-a", stored) == {}
    assert node.status(stored, LATER) == {}


def test_a_node_that_was_taken_for_lost_says_that_it_is_back() -> None:
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    other = {"type": "DiskPressure", "status": "Unknown"}
    status = node.status({"status": {"conditions": [other, lost]}}, NOW)["status"]
    assert status["conditions"][0] == other
    ready = status["conditions"][1]
    assert (ready["status"], ready["lastTransitionTime"]) == ("True", NOW)


def test_a_foreign_label_of_the_node_stays() -> None:
    marks = node.marks("node-a", {"metadata": {"labels": {"zone": "z"}}})
    assert "zone" not in marks["metadata"]["labels"]


def test_the_lease_names_its_holder_and_moment() -> None:
    spec = node.lease("node-a", "2026-01-01T00:00:00.000001Z")["spec"]
    assert spec["holderIdentity"] == "node-a"
    assert spec["renewTime"] == "2026-01-01T00:00:00.000001Z"
