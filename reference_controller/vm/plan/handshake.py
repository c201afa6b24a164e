"""The handshake with SDN: ask in networks-spec, wait for networks-status (spec 4.4, D2, D15, D26).

Each interface waits for itself only: one that SDN cannot make never holds up another (HP-10).
"""

from __future__ import annotations

from dataclasses import dataclass

from reference_controller.api import kinds, names
from reference_controller.api.internal import LauncherPod
from reference_controller.api.networks import InterfaceRequest, encode_requests
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, Write

from . import handshake, lifecycle
from .interfaces import Desired, Nic
from .world import World


@dataclass(frozen=True)
class Handshake:
    """How far SDN has come.

    `plugged`: the NICs that the template may have. `waiting`: those that SDN has yet to make.
    `writes`: what must be asked first.
    """

    plugged: tuple[Nic, ...] = ()
    waiting: tuple[Nic, ...] = ()
    writes: tuple[Write, ...] = ()


def proceed(world: World, desired: Desired) -> Handshake:
    """Ask every active pod for `desired`, and sort the NICs by SDN's answers.

    A guest that was not started needs no hotplug: its NICs are in the template at once, and
    whoever starts the guest waits for their links (spec 4.4, D38).
    """
    writes = handshake.requests(world, desired)
    if not lifecycle.started(world):
        return Handshake(desired.nics, (), writes)
    plugged: list[Nic] = []
    waiting: list[Nic] = []
    for nic in desired.nics:
        settled = nic.present or handshake.answered(world, nic.request)
        (plugged if settled else waiting).append(nic)
    return Handshake(tuple(plugged), tuple(waiting), writes)


def answered(world: World, request: InterfaceRequest) -> bool:
    """Whether every active pod was asked, and has the interface healthy (HP-07, D26)."""
    pods = world.active_pods
    return bool(pods) and all(
        request in pod.requests and handshake.healthy(pod, request) for pod in pods
    )


def healthy(pod: LauncherPod, request: InterfaceRequest) -> bool:
    """Whether networks-status of one pod has a healthy answer to this very request.

    A missing or malformed annotation, a missing entry, an entry that answers an older request
    and a condition that is not True are all "not yet".
    """
    return any(
        answer.answers(request) and answer.healthy and bool(answer.conditions)
        for answer in pod.answers or ()
    )


def requests(world: World, desired: Desired) -> tuple[Write, ...]:
    """The patches that make every active pod ask for exactly `desired` (HP-08, B04)."""
    text = handshake.annotation(desired.nics)
    writes: list[Write] = []
    for pod in world.active_pods:
        annotations = handshake.tap_annotation(world, pod, bool(desired.nics))
        if pod.metadata.annotations.get(names.NETWORKS_SPEC) != text:
            annotations[names.NETWORKS_SPEC] = text
        if annotations:
            body: Json = {"metadata": {"annotations": annotations}}
            writes.append(MergePatch(kinds.POD, pod.namespace, pod.name, body))
    return tuple(writes)


def tap_annotation(world: World, pod: LauncherPod, wanted: bool) -> Json:
    """The change that makes the pod's tap annotation follow its node's (spec 4.6, HP-23).

    It is frozen once SDN has answered, and untouched while the node is not known.
    """
    annotations = pod.metadata.annotations
    supported = world.tap_nodes.get(pod.spec.node_name)
    if not wanted or supported is None or names.NETWORKS_STATUS in annotations:
        return {}
    if supported == (names.TAP_BY_DVP in annotations):
        return {}
    return {names.TAP_BY_DVP: "true" if supported else None}


def annotation(nics: tuple[Nic, ...]) -> str | None:
    """networks-spec for `nics`, by id so that a reordered list is the same text (D14)."""
    return encode_requests([nic.request for nic in sorted(nics, key=lambda nic: nic.id)])


def pending_keys(state: Handshake) -> str:
    """The networks that SDN has yet to make, in spec order, for messages."""
    return ", ".join(str(nic.key) for nic in state.waiting)
