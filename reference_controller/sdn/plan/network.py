"""One Network or ClusterNetwork: its bridge and whether it is built everywhere (spec 1.5)."""

from __future__ import annotations

from dataclasses import dataclass

from reference_controller.api import conditions, kinds, names
from reference_controller.api.conditions import Condition
from reference_controller.api.sdn import NetworkAttachment, NetworkObject
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, Plan, difference

OWNED = ("AllNodeAttachementsAreReady", "Ready")


@dataclass(frozen=True)
class World:
    """One network and how it is built.

    Attributes:
        network: None when it is gone.
        attachments: its attachments, at most one per node.
        nodes: names of the nodes that run guests.
        now: RFC 3339.
    """

    network: NetworkObject | None
    attachments: tuple[NetworkAttachment, ...]
    nodes: tuple[str, ...]
    now: str


def decide(world: World) -> Plan:
    """The status of the network."""
    network = world.network
    if network is None or network.metadata.deleting:
        return Plan()
    ready = ready_nodes(world)
    stored = network.raw.get("status") or {}
    target: Json = {
        "bridgeName": names.bridge_name(network.kind, network.namespace, network.name),
        "nodeAttachementsCount": len(world.attachments),
        "readyNodeAttachementsCount": len(ready),
        "observedGeneration": network.metadata.generation,
        "conditions": conditions.merge(
            stored.get("conditions") or [], _conditions(world, network, ready), OWNED, world.now
        ),
    }
    changes = difference(stored, target)
    if not changes:
        return Plan()
    kind = kinds.NETWORK if network.kind == kinds.NETWORK.kind else kinds.CLUSTER_NETWORK
    return Plan(
        (
            MergePatch(
                kind,
                network.namespace,
                network.name,
                {"status": changes},
                status=True,
                resource_version=network.metadata.resource_version,
            ),
        )
    )


def ready_nodes(world: World) -> tuple[str, ...]:
    """The nodes on which the network is built."""
    built = {
        attachment.spec.node_name
        for attachment in world.attachments
        if conditions.holds(attachment.status.conditions, "Ready")
    }
    return tuple(node for node in world.nodes if node in built)


def _conditions(
    world: World, network: NetworkObject, ready: tuple[str, ...]
) -> tuple[Condition, ...]:
    generation = network.metadata.generation
    missing = [node for node in world.nodes if node not in ready]
    complete = bool(world.nodes) and not missing
    attached = (
        conditions.wanted(OWNED[0], "True", "AllNodeAttachementsAreReady", "", generation)
        if complete
        else conditions.wanted(
            OWNED[0],
            "False",
            "NodeAttachementsNotReady",
            f"not built on: {', '.join(missing) or 'any node'}",
            generation,
        )
    )
    if network.metadata.annotations.get(names.UNREADY) == "true":
        message = f"held unready by the annotation {names.UNREADY}"
        usable = conditions.wanted("Ready", "False", "HeldUnready", message, generation)
    elif complete:
        usable = conditions.wanted("Ready", "True", "NetworkReady", "", generation)
    else:
        usable = conditions.wanted(
            "Ready", "False", "NetworkNotReady", attached.message, generation
        )
    return attached, usable
