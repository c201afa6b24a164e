"""The thin client against a real API server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from fixtures.cluster import kinds, manifests
from fixtures.cluster.client import Cluster
from fixtures.cluster.namespaces import ScenarioNamespace
from fixtures.cluster.watch import Event
from fixtures.errors import Conflict, EnvironmentUnfit, Expired, NotFound, Refused, Unreachable
from tests.integration.observe.api_server import ApiServer

SPEC: dict[str, Any] = {
    "virtualMachineClassName": "generic",
    "cpu": {"cores": 1},
    "memory": {"size": "96Mi"},
    "blockDeviceRefs": [{"kind": "ClusterVirtualImage", "name": "image"}],
}


@pytest.fixture
def manifest(namespace: ScenarioNamespace) -> manifests.Manifest:
    return manifests.machine({"spec": SPEC}, name="web", namespace=namespace.name, networks=None)


def test_an_object_is_created_read_patched_and_deleted(
    cluster: Cluster, namespace: ScenarioNamespace, manifest: manifests.Manifest
) -> None:
    made = cluster.create(kinds.VM, manifest, namespace.name)
    assert cluster.get(kinds.VM, "web", namespace.name) == made
    merged = cluster.patch(kinds.VM, "web", {"spec": {"networks": []}}, namespace.name)
    assert merged["spec"]["networks"] == []
    operation = {"op": "remove", "path": "/spec/networks"}
    cluster.patch(kinds.VM, "web", [operation], namespace.name, style="json")
    (listed,) = cluster.list(kinds.VM, namespace.name).items
    assert "networks" not in listed["spec"]
    assert listed["kind"] == "VirtualMachine"
    cluster.delete(kinds.VM, "web", namespace.name)
    cluster.delete(kinds.VM, "web", namespace.name)
    assert cluster.find(kinds.VM, "web", namespace.name) is None


def test_refusals_have_their_exceptions(
    cluster: Cluster, namespace: ScenarioNamespace, manifest: manifests.Manifest
) -> None:
    with pytest.raises(NotFound, match=r'virtualmachines.* "web" not found'):
        cluster.get(kinds.VM, "web", namespace.name)
    cluster.create(kinds.VM, manifest, namespace.name)
    with pytest.raises(Conflict, match="already exists"):
        cluster.create(kinds.VM, manifest, namespace.name)
    with pytest.raises(Refused, match=r"spec\.networks"):
        cluster.patch(kinds.VM, "web", {"spec": {"networks": [{"type": "Odd"}]}}, namespace.name)


def test_a_dry_run_leaves_nothing(
    cluster: Cluster, namespace: ScenarioNamespace, manifest: manifests.Manifest
) -> None:
    cluster.create(kinds.VM, manifest, namespace.name, dry_run=True)
    assert cluster.find(kinds.VM, "web", namespace.name) is None


def test_a_table_has_the_printed_columns(
    cluster: Cluster, namespace: ScenarioNamespace, manifest: manifests.Manifest
) -> None:
    cluster.create(kinds.VM, manifest, namespace.name)
    titles = [
        each["name"] for each in cluster.table(kinds.VM, "web", namespace.name)["columnDefinitions"]
    ]
    assert titles[:3] == ["Name", "Phase", "Uptime"]


def test_a_mark_is_a_write_with_an_audit_id(
    api_server: ApiServer, cluster: Cluster, namespace: ScenarioNamespace
) -> None:
    before = int(cluster.list(kinds.VM, namespace.name).resource_version)
    audit_id, version = cluster.mark(namespace.name)
    assert version > before
    assert audit_id in api_server.audit_log.read_text()


def test_a_watch_is_ended_from_another_thread(
    cluster: Cluster, namespace: ScenarioNamespace
) -> None:
    since = cluster.list(kinds.VM, namespace.name).resource_version
    watch = cluster.watch(kinds.VM, namespace.name, since=since)
    events: list[Event] = []
    reader = threading.Thread(target=lambda: events.extend(watch))
    reader.start()
    watch.close()
    reader.join(timeout=5)
    assert not reader.is_alive()
    assert events == []


def test_a_watch_tells_of_everything_after_its_version(
    cluster: Cluster, namespace: ScenarioNamespace, manifest: manifests.Manifest
) -> None:
    since = cluster.list(kinds.VM, namespace.name).resource_version
    made = cluster.create(kinds.VM, manifest, namespace.name)
    cluster.delete(kinds.VM, "web", namespace.name)
    watch = iter(cluster.watch(kinds.VM, namespace.name, since=since, seconds=5))
    first, second = next(watch), next(watch)
    assert (first.type, first.body) == ("ADDED", made)
    assert second.type == "DELETED"
    assert int(second.body["metadata"]["resourceVersion"]) > int(
        made["metadata"]["resourceVersion"]
    )


def test_a_version_from_before_the_servers_start_is_expired(
    api_server: ApiServer, cluster: Cluster, namespace: ScenarioNamespace
) -> None:
    cluster.mark(namespace.name)
    since = cluster.list(kinds.VM, namespace.name).resource_version
    cluster.mark(namespace.name)
    api_server.restart()
    with pytest.raises(Expired):
        list(cluster.watch(kinds.VM, namespace.name, since=since, seconds=2))


@pytest.mark.parametrize("content", ["", "nonsense: [", "apiVersion: v1", "[]"])
def test_an_unusable_kubeconfig_is_an_unfit_environment(tmp_path: Path, content: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(content)
    with pytest.raises(EnvironmentUnfit, match="kubeconfig"):
        Cluster(path)


def test_a_missing_kubeconfig_is_an_unfit_environment(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnfit, match="still up"):
        Cluster(tmp_path / "none")


def test_a_server_that_is_not_there_is_unreachable(api_server: ApiServer, tmp_path: Path) -> None:
    elsewhere = tmp_path / "kubeconfig"
    elsewhere.write_text(api_server.config.read_text().replace("127.0.0.1:", "127.0.0.2:1"))
    with pytest.raises(Unreachable, match=r"GET .*virtualmachines: no answer"):
        Cluster(elsewhere).list(kinds.VM)


def test_the_processes_environment_has_no_say(
    api_server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(name, "/no/such/bundle")
    Cluster(api_server.config).list(kinds.VM)
