"""A network's bridge on this node, and its attachment."""

from dataclasses import replace

from reference_controller.api.sdn import NetworkAttachment
from reference_controller.api.writes import Create, Delete, MergePatch
from reference_controller.node.plan import network
from reference_controller.node.plan.actions import MakeBridge, RemoveBridge
from reference_controller.node.plan.world import NetworkWorld
from tests.unit.node.plan import worlds

BRIDGE = worlds.bridge("blue")
NEW = NetworkWorld(
    worlds.NODE, BRIDGE, "ClusterNetwork//blue", worlds.NOW, network=worlds.network("blue")
)


def attachment(world: NetworkWorld) -> NetworkAttachment:
    """The attachment as the first report makes it."""
    create, status = network.report(world).writes
    assert isinstance(create, Create)
    assert isinstance(status, MergePatch)
    meta = {**create.body["metadata"], "uid": "u", "resourceVersion": "1", "generation": 1}
    return NetworkAttachment.parse({**create.body, **status.body, "metadata": meta})


def test_a_network_gets_a_bridge_and_then_a_ready_attachment() -> None:
    assert network.act(NEW) == [MakeBridge()]
    built = replace(NEW, exists=True)
    assert network.act(built) == []
    made = attachment(built)
    assert made.name == f"{BRIDGE}-node-a"
    assert made.metadata.labels == {"network.deckhouse.io/node-name": "node-a"}
    assert made.spec.network_ref == {"kind": "ClusterNetwork", "name": "blue"}
    assert {one.type: one.true for one in made.status.conditions} == {"Exist": True, "Ready": True}


def test_a_settled_network_is_silent() -> None:
    built = replace(NEW, exists=True)
    settled = replace(built, attachment=attachment(built), now=worlds.LATER)
    assert network.act(settled) == []
    assert network.report(settled).writes == ()


def test_a_bridge_that_cannot_be_made_is_told_with_its_cause() -> None:
    made = attachment(replace(NEW, trouble="no such luck"))
    assert [(one.type, one.true, one.message) for one in made.status.conditions] == [
        ("Exist", False, "no such luck"),
        ("Ready", False, "no such luck"),
    ]
    (patch,) = network.report(replace(NEW, exists=True, attachment=made)).writes
    assert isinstance(patch, MergePatch)
    assert [one["status"] for one in patch.body["status"]["conditions"]] == ["True", "True"]


def test_a_bridge_outlives_its_network_while_a_guest_uses_it() -> None:
    built = replace(NEW, exists=True)
    gone = replace(built, network=None, attachment=attachment(built), users=1)
    assert network.act(gone) == []
    assert [type(write) for write in network.report(gone).writes] == [Delete]
    unused = replace(gone, users=0, attachment=None)
    assert network.act(unused) == [RemoveBridge()]
    assert network.report(unused).writes == ()
