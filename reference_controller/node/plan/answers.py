"""SDN's answer on the pod: networks-status (spec 4.2, D26, D36)."""

from __future__ import annotations

from reference_controller.api import conditions, kinds, names
from reference_controller.api.conditions import Condition
from reference_controller.api.networks import (
    AddressConfig,
    InterfaceAnswer,
    InterfaceRequest,
    NetworkKey,
    encode_answers,
)
from reference_controller.api.writes import MergePatch

from . import leases, slots
from .world import World

HELD = "true"


def held(world: World, network: NetworkKey) -> bool:
    """Whether the lever holds this network's answers back: nothing new is made or said for it."""
    found = world.networks.get(network)
    return found is not None and found.metadata.annotations.get(names.HOLD_ANSWERS) == HELD


def decide(world: World) -> tuple[InterfaceAnswer, ...]:
    """The whole answer: one entry per request that has an outcome, in the order of requests."""
    earlier = (world.pod.answers if world.pod else None) or ()
    granted = slots.granted(world)
    result: list[InterfaceAnswer] = []
    for request in world.requests:
        if held(world, request.network):
            continue
        entry = _entry(world, request, granted)
        if entry is not None:
            result.append(_timed(entry, earlier, world.now))
    return (*result, *(entry for entry in earlier if held(world, entry.key)))


def patch(world: World) -> MergePatch | None:
    """The write that makes networks-status say what `decide` says, or None."""
    pod = world.pod
    if pod is None:
        return None
    answers = decide(world)
    text = encode_answers(answers) if answers else None
    if text == pod.metadata.annotations.get(names.NETWORKS_STATUS):
        return None
    body = {"metadata": {"annotations": {names.NETWORKS_STATUS: text}}}
    return MergePatch(kinds.POD, pod.namespace, pod.name, body)


def _entry(
    world: World, request: InterfaceRequest, granted: frozenset[str]
) -> InterfaceAnswer | None:
    tap = world.taps.get(request.interface)
    if tap is None:
        return None if request.interface in granted else _refused(world, request)
    configs: tuple[AddressConfig, ...] = ()
    if request.address_names:
        config = leases.address_config(world, request)
        if config is None:
            return None
        configs = (config,)
    made = conditions.wanted("Configured", "True", "InterfaceConfiguredSuccessfully")
    # Never from the carrier: a tap that no guest has opened yet has none (D36).
    negotiated = conditions.wanted("Negotiated", "True", "Up")
    return _answer(request, (made, negotiated), mac=tap.mac, configs=configs)


def _refused(world: World, request: InterfaceRequest) -> InterfaceAnswer:
    message = f"no free slot: all {world.node.slots} network interfaces of the machine are in use"
    failed = conditions.wanted("Configured", "False", "ConfigurationError", message)
    return _answer(request, (failed,))


def _answer(
    request: InterfaceRequest,
    stated: tuple[Condition, ...],
    mac: str = "",
    configs: tuple[AddressConfig, ...] = (),
) -> InterfaceAnswer:
    return InterfaceAnswer(
        type=request.network.type,
        name=request.network.name,
        if_name=request.interface,
        mac=mac,
        ip_address_configs=configs,
        conditions=stated,
    )


def _timed(
    entry: InterfaceAnswer, earlier: tuple[InterfaceAnswer, ...], now: str
) -> InterfaceAnswer:
    """The entry with transition times kept from its earlier version."""
    same = (old for old in earlier if old.key == entry.key and old.if_name == entry.if_name)
    old = next(same, None)
    stored = [one.model_dump(by_alias=True) for one in old.conditions] if old else []
    merged = conditions.merge(stored, entry.conditions, ("Configured", "Negotiated"), now)
    timed = tuple(Condition.model_validate(one) for one in merged)
    return entry.model_copy(update={"conditions": timed})
