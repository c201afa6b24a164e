"""Observers of a real API server: nothing is missed, and what might have been is known."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.cluster import kinds
from fixtures.cluster.client import Cluster
from fixtures.cluster.namespaces import ScenarioNamespace
from fixtures.errors import ExpectationNotMet, Inconclusive, InvariantViolated
from fixtures.observe.predicates import exists, phase
from fixtures.waiting.budgets import Budget
from tests.integration.observe.api_server import ApiServer

SOON = Budget("condition", 20, 30)
BRIEFLY = Budget("settle", 0.3, 75)
AT_ONCE = Budget("condition", 0, 30)


@pytest.fixture
def pool(cluster: Cluster, namespace: ScenarioNamespace) -> Any:
    """Writes one internal instance, whose status is not a subresource, from phase to phase."""

    def write(*phases: str, name: str = "web") -> Any:
        body: Any = None
        for each in phases:
            patch = {"status": {"phase": each}}
            if cluster.find(kinds.INSTANCE, name, namespace.name) is None:
                made = {"metadata": {"name": name}, "spec": {}, **patch}
                body = cluster.create(kinds.INSTANCE, manifest(made), namespace.name)
            else:
                body = cluster.patch(kinds.INSTANCE, name, patch, namespace.name)
        return body

    return write


def manifest(body: dict[str, Any]) -> dict[str, Any]:
    """With kind and version."""
    return {
        "apiVersion": kinds.INSTANCE.api_version,
        "kind": kinds.INSTANCE.name,
        **body,
    }


def test_states_that_come_and_go_are_seen(observe: Any, pool: Any) -> None:
    observers = observe()
    since = observers.now()
    pool("Scheduling", "Running", "Failed", "Running")
    web = observers.instance("web")
    web.eventually(phase("Running"), within=SOON, since=since)
    failed = web.eventually(phase("Failed"), within=SOON, since=since)
    running = web.eventually(phase("Running"), within=SOON, since=failed.version)
    observers.in_order(("it failed", failed), ("it ran again", running))
    with pytest.raises(ExpectationNotMet, match=r"it failed .* must come after it ran again"):
        observers.in_order(("it ran again", running), ("it failed", failed))


def test_a_blip_breaks_an_invariant(observe: Any, pool: Any) -> None:
    observers = observe()
    pool("Running")
    web = observers.instance("web")
    web.eventually(phase("Running"), within=SOON)
    web.throughout(phase("Running"), reason="web runs")
    pool("Failed", "Running")
    with pytest.raises(InvariantViolated, match="web runs"):
        web.eventually(phase("Never"), within=SOON)
    with pytest.raises(InvariantViolated, match="web runs"):
        observers.judge()


def test_a_whole_history_is_proved_also_of_a_kind_at_rest(
    observe: Any, pool: Any, kept: Any
) -> None:
    observers = observe()
    pool("Running")
    observers.pods("web").never(exists(), reason="no pods")
    observers.instance("web").never(phase("Failed"), reason="no failure")
    pool("Other", "Running")
    observers.judge()
    told = {each["what"]: each for each in kept.of("replay")}
    assert set(told) == {"pod", "intvirtvmi"}
    assert all("unavailable" not in each for each in told.values())
    assert (told["intvirtvmi"]["events"], told["intvirtvmi"]["missing"]) == (3, 0)


def test_only_the_scenarios_own_objects_are_seen(
    observe: Any, cluster: Cluster, namespace: ScenarioNamespace
) -> None:
    observers = observe()
    for name, owner in (("mac-1", namespace.name), ("mac-2", "another")):
        spec = {"virtualMachineMACAddressRef": {"name": "m", "namespace": owner}}
        cluster.create(
            kinds.VMMAC_LEASE,
            {
                "apiVersion": kinds.VMMAC_LEASE.api_version,
                "kind": kinds.VMMAC_LEASE.name,
                "metadata": {"name": f"{name}-{namespace.name}"},
                "spec": spec,
            },
        )
    leases = observers.kind(kinds.VMMAC_LEASE)
    leases.eventually(exists(), within=SOON)
    assert [each["metadata"]["name"] for each in leases.current()] == [f"mac-1-{namespace.name}"]


def test_silence_is_told_from_writes(observe: Any, pool: Any) -> None:
    observers = observe()
    pool("Running")
    observers.instance("web").eventually(exists(), within=SOON)
    observers.settled("web", window=BRIEFLY, within=AT_ONCE)


def test_after_a_restart_of_the_server_the_audit_log_closes_the_gap(
    observe: Any, pool: Any, api_server: ApiServer
) -> None:
    observers = observe()
    pool("Running")
    web = observers.instance("web")
    web.eventually(phase("Running"), within=SOON)
    web.never(phase("Failed"), reason="no failure")
    api_server.restart()
    pool("Odd", "Running")
    web.eventually(phase("Running"), within=SOON, since=observers.now())
    observers.judge()
    assert [gap for gap in observers.history.gaps() if gap.kind == "intvirtvmi"] == []


def test_without_an_audit_log_a_changed_object_leaves_a_gap(
    observe: Any, pool: Any, api_server: ApiServer
) -> None:
    observers = observe(audited=False)
    pool("Running")
    web = observers.instance("web")
    web.eventually(phase("Running"), within=SOON)
    web.never(phase("Failed"), reason="no failure")
    watching = [each for each in observers._observers if each.source.kind == "intvirtvmi"]
    for each in watching:
        each.stop()
    body = pool("Odd", "Running")
    api_server.restart()
    resumed = type(watching[0])(watching[0].source, observers.history)
    resumed._version = watching[0]._version
    resumed._relist()
    assert web.current()[0]["metadata"]["resourceVersion"] == body["metadata"]["resourceVersion"]
    with pytest.raises(Inconclusive, match=r"no failure: versions .* were not seen"):
        observers.judge()


def test_without_an_audit_log_an_unchanged_object_is_whole(
    observe: Any, pool: Any, api_server: ApiServer
) -> None:
    observers = observe(audited=False)
    pool("Running")
    web = observers.instance("web")
    web.eventually(phase("Running"), within=SOON)
    web.never(phase("Failed"), reason="no failure")
    api_server.restart()
    pool("Running", name="other")
    observers.instance("other").eventually(phase("Running"), within=SOON)
    observers.judge()
