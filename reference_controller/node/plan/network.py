"""One network on this node: its bridge, and the attachment that reports it (spec 1.5)."""

from __future__ import annotations

from reference_controller.api import conditions, kinds, names
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, Delete, MergePatch, Plan, difference

from .actions import Action, MakeBridge, RemoveBridge
from .world import NetworkWorld

OWNED = ("Exist", "Ready")


def act(world: NetworkWorld) -> list[Action]:
    """A bridge for every network; it outlives its network while a guest uses it (HP-20)."""
    if world.network is not None and not world.exists:
        return [MakeBridge()]
    if world.network is None and world.exists and world.users == 0:
        return [RemoveBridge()]
    return []


def report(world: NetworkWorld) -> Plan:
    """Writes that make the attachment say what is there."""
    network, attachment = world.network, world.attachment
    if network is None:
        if attachment is None:
            return Plan()
        return Plan((Delete(kinds.NETWORK_ATTACHMENT, "", attachment.name, attachment.uid),))
    name = names.attachment_name(world.bridge, world.node.name)
    status: Json = {"status": _status(world)}
    if attachment is None:
        reference = {"kind": network.kind, "namespace": network.namespace, "name": network.name}
        body: Json = {
            "metadata": {
                "name": name,
                "labels": {"network.deckhouse.io/node-name": world.node.name},
            },
            "spec": {
                "nodeName": world.node.name,
                "networkRef": {key: value for key, value in reference.items() if value},
            },
        }
        return Plan(
            (
                Create(kinds.NETWORK_ATTACHMENT, body),
                MergePatch(kinds.NETWORK_ATTACHMENT, "", name, status, status=True),
            )
        )
    changes = difference(attachment.raw.get("status") or {}, status["status"])
    if not changes:
        return Plan()
    patch = MergePatch(
        kinds.NETWORK_ATTACHMENT,
        "",
        name,
        {"status": changes},
        status=True,
        resource_version=attachment.metadata.resource_version,
    )
    return Plan((patch,))


def _status(world: NetworkWorld) -> Json:
    attachment = world.attachment
    stored = (attachment.raw.get("status") or {}) if attachment is not None else {}
    generation = attachment.metadata.generation if attachment is not None else 1
    if world.exists:
        reason, message = "BridgeReady", ""
    else:
        reason, message = "BridgeMissing", world.trouble
    state: conditions.Status = "True" if world.exists else "False"
    wanted = [conditions.wanted(kind, state, reason, message, generation) for kind in OWNED]
    merged = conditions.merge(stored.get("conditions") or [], wanted, OWNED, world.now)
    return {"conditions": merged, "observedGeneration": generation}
