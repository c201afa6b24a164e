"""One API server for all tests of this folder, and observers of a namespace of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fixtures.cluster import namespaces
from fixtures.cluster.client import Cluster
from fixtures.cluster.namespaces import ScenarioNamespace
from fixtures.observe.audit import AuditLog
from fixtures.observe.observers import Observers
from fixtures.waiting.clock import SystemClock
from fixtures.waiting.sampler import Sampler
from tests.integration.observe.api_server import ApiServer


class Kept:
    """A recorder that remembers."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def record(self, kind: str, **fields: Any) -> None:
        self.records.append({"kind": kind, **fields})

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.records if each["kind"] == kind]


@pytest.fixture(scope="session")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    server = ApiServer(tmp_path_factory.mktemp("api-server"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def cluster(api_server: ApiServer) -> Iterator[Cluster]:
    cluster = Cluster(api_server.config)
    yield cluster
    cluster.close()


@pytest.fixture
def namespace(cluster: Cluster) -> ScenarioNamespace:
    return namespaces.create(cluster, "observe/x:y")


@pytest.fixture
def kept() -> Kept:
    return Kept()


Observe = Callable[..., Observers]


@pytest.fixture
def observe(
    api_server: ApiServer, cluster: Cluster, namespace: ScenarioNamespace, kept: Kept
) -> Iterator[Observe]:
    """Start observers, with or without an audit log; they are stopped at the end."""
    started: list[Observers] = []

    def observe(*, audited: bool = True) -> Observers:
        observers = Observers(
            cluster,
            namespace.name,
            clock=SystemClock(),
            recorder=kept,
            audit=AuditLog(api_server.audit_log if audited else None),
            sampler=Sampler(),
            users=["tester"],
        )
        observers.start()
        started.append(observers)
        return observers

    yield observe
    for each in started:
        each.stop()
