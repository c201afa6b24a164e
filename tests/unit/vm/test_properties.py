"""Random edits, delays and restarts on the pure plans: the end is what the last spec says."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference_controller.api import kinds, names, networks
from reference_controller.api.internal import Instance, InternalVM
from reference_controller.api.kinds import Kind
from reference_controller.api.networks import NetworkKey
from reference_controller.api.view import Json
from tests.unit.vm.fake_api import NAMESPACE
from tests.unit.vm.platform import Platform

NETWORKS = [
    {"type": "ClusterNetwork", "name": "a"},
    {"type": "Network", "name": "a"},
    {"type": "ClusterNetwork", "name": "pool"},
    {"type": "Network", "name": "b"},
]
EDIT = st.one_of(
    st.none(),
    st.lists(st.sampled_from(NETWORKS), unique_by=str, max_size=4).map(
        lambda chosen: [{"type": "Main"}, *chosen]
    ),
    st.lists(st.sampled_from(NETWORKS), unique_by=str, min_size=1, max_size=3),
)
STEP = st.one_of(
    st.tuples(st.just("edit"), EDIT),
    st.tuples(st.just("work"), st.integers(1, 6)),
    st.tuples(st.just("around"), st.integers(1, 4)),
    st.tuples(st.just("settle"), st.none()),
    st.tuples(st.just("hold"), st.sampled_from(["a", "pool", "b"])),
    st.tuples(st.just("release"), st.sampled_from(["a", "pool", "b"])),
    st.tuples(st.just("unready"), st.booleans()),
    st.tuples(st.just("slow"), st.booleans()),
    st.tuples(st.just("restart"), st.none()),
    st.tuples(st.just("stop"), st.none()),
    st.tuples(st.just("start"), st.none()),
    st.tuples(st.just("reborn"), st.none()),
)


def new_platform(seed: int) -> Platform:
    platform = Platform(seed=seed)
    platform.pools = {"pool": ["192.168.0.4", "192.168.0.5"]}
    platform.network("a")
    platform.network("a", "Network")
    platform.network("b", "Network")
    platform.network("pool", pool="p")
    # Before the store learns of the change, so that it still shows what was there.
    platform.api.listeners.insert(0, partial(no_nic_before_its_link, platform))
    return platform


def no_nic_before_its_link(platform: Platform, kind: Kind, body: Json, _gone: bool) -> None:
    """HP-07: a NIC that comes to a running guest was answered for by SDN."""
    if kind != kinds.INTERNAL_VM or body["metadata"].get("deletionTimestamp"):
        return
    name = body["metadata"]["name"]
    instance = platform.store.get(kinds.INTERNAL_INSTANCE, Instance, NAMESPACE, name)
    old = platform.store.get(kinds.INTERNAL_VM, InternalVM, NAMESPACE, name)
    if instance is None or old is None or instance.status.phase != "Running":
        return
    before = {nic.name for nic in old.interfaces if not nic.absent}
    devices = body["spec"]["template"]["spec"]["domain"]["devices"]
    for nic in devices["interfaces"]:
        if nic.get("state") != "absent" and nic["name"] not in before:
            pods = platform.worlds.machine(NAMESPACE, name, "").active_pods
            assert pods
            for pod in pods:
                assert any(
                    item.if_name == nic["name"] and item.healthy for item in pod.answers or ()
                )


def perform(platform: Platform, number: int, step: tuple[str, Any]) -> None:
    what, value = step
    if what == "edit":
        platform.edit(networks=value)
    elif what == "work":
        for _ in range(value):
            if platform.keys:
                platform.one(platform.keys.pop(0))
    elif what == "around":
        for _ in range(value):
            platform.around()
    elif what == "settle":
        platform.settle()
    elif what == "hold":
        platform.held = {*platform.held, value}
    elif what == "release":
        platform.held = platform.held - {value}
    elif what == "unready":
        platform.ready("a", ready=value)
    elif what == "slow":
        platform.slow_release = value
    elif what == "reborn":
        platform.keys.clear()
        platform.wake_all()
    else:
        platform.operate(what.capitalize(), f"op-{number}")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 9999), EDIT, st.lists(STEP, max_size=14))
def test_the_end_is_what_the_last_spec_says(
    seed: int, first: list[Json] | None, steps: list[tuple[str, Any]]
) -> None:
    platform = new_platform(seed)
    platform.machine(networks=first)
    for number, step in enumerate(steps):
        perform(platform, number, step)
    platform.held = set()
    platform.slow_release = False
    platform.ready("a")
    platform.settle()
    if platform.vm().status.phase == "Stopped":
        platform.operate("Start", "last-start")
        platform.settle()
    if platform.condition("AwaitingRestartToApplyConfiguration"):
        platform.operate("Restart", "last-restart")
        platform.settle()
    assert_is_as_specified(platform)
    platform.writes.clear()
    platform.seconds += 50
    platform.wake_all()
    platform.settle()
    assert platform.writes == []


def assert_is_as_specified(platform: Platform) -> None:
    vm = platform.vm()
    wanted = networks.effective(vm.spec.networks)
    extra = [entry for entry in wanted if not entry.key.main]
    assert vm.status.phase == "Running"
    assert [entry.key for entry in vm.status.networks] == [entry.key for entry in wanted]
    nics = platform.nics()
    expected = {names.MAIN_INTERFACE} if networks.has_main(vm.spec.networks) else set()
    for entry in vm.status.networks:
        if not entry.key.main:
            expected.add(names.interface_name(entry.type, entry.mac_address))
    assert set(nics) == expected
    assert not any(nic.get("state") for nic in nics.values())
    for kind in (kinds.VM_MAC_ADDRESS, kinds.VM_MAC_ADDRESS_LEASE):
        assert len(platform.api.all(kind)) == len(extra)
    pooled = NetworkKey("ClusterNetwork", "pool") in {entry.key for entry in extra}
    assert len(platform.api.all(kinds.IP_ADDRESS)) == int(pooled)
    absent = ("AwaitingRestartToApplyConfiguration", "ConfigurationApplied")
    assert [platform.condition(kind) for kind in absent] == [None, None]
    ready = platform.condition("NetworkReady")
    assert ready == (("True", "NetworkReady", "") if extra else None)
    bound = platform.api.all(kinds.VM_IP_ADDRESS)
    assert len(bound) == int(networks.has_main(vm.spec.networks))
    assert bool(vm.status.ip_address) == bool(bound)
    pod = next(body for body in platform.api.all(kinds.POD))
    text = pod["metadata"]["annotations"].get(names.NETWORKS_SPEC)
    asked = [item["name"] for item in json.loads(text)] if text else None
    assert (asked is None) == (not extra)
    assert len(asked or []) == len(extra)
    ids = [entry.id for entry in vm.status.networks]
    assert len(ids) == len(set(ids))
