"""Evidence: what is kept of a scenario, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from fixtures.cluster import kinds
from fixtures.cluster.client import Cluster, Listing
from fixtures.cluster.kinds import Kind
from fixtures.errors import NotFound
from fixtures.evidence import collection
from fixtures.evidence.redaction import REDACTED, redact


def test_secrets_go_and_references_to_them_stay() -> None:
    body = {
        "metadata": {"name": "web", "managedFields": [{"manager": "m"}], "labels": {}},
        "spec": {
            "provisioning": {"userData": "password: x", "userDataRef": {"name": "s"}},
            "secretName": "s",
            "nested": [{"apiToken": "t", "private_key": "k", "tokens": 3}],
        },
    }
    assert redact(body) == {
        "metadata": {"name": "web", "labels": {}},
        "spec": {
            "provisioning": {"userData": REDACTED, "userDataRef": {"name": "s"}},
            "secretName": "s",
            "nested": [{"apiToken": REDACTED, "private_key": REDACTED, "tokens": 3}],
        },
    }


def test_folders_are_plain_and_rows_do_not_meet() -> None:
    plain = collection.folder_of("hotplug/adding:a-network-arrives")
    assert plain == "evidence/hotplug-adding-a-network-arrives"
    rows = {collection.folder_of(f"a:b[{row}]") for row in ("1/2", "1 2", "1-2")}
    assert len(rows) == 3
    assert all("/" not in row.removeprefix("evidence/") for row in rows)


class Shelf:
    """A cluster that holds what it was given; no pools."""

    def __init__(self, **bodies: list[dict[str, Any]]) -> None:
        self._bodies = bodies

    def list(
        self, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = ""
    ) -> Listing:
        """Like the client's."""
        if kind is kinds.POOL:
            raise NotFound("pools are not served", 404)
        if kind in kinds.OWN_CLUSTER_WIDE:
            assert labels == f"{kinds.SCENARIO_LABEL}=ns"
        assert kind.namespaced is (namespace == "ns")
        return Listing(tuple(self._bodies.get(kind.short, ())), "1")


def named(name: str, created: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "creationTimestamp": created}, **more}


def documents(path: Path) -> list[Mapping[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def test_the_end_state_is_left_one_file_a_kind(tmp_path: Path) -> None:
    mine = {"spec": {"virtualMachineMACAddressRef": {"namespace": "ns", "name": "m"}}}
    other = {"spec": {"virtualMachineMACAddressRef": {"namespace": "other", "name": "m"}}}
    shelf = Shelf(
        vm=[named("b", "2"), named("a", "1")],
        event=[named("e", "1", message="m")],
        clusternetwork=[named("blue-x", "1")],
        vmmacl=[named("mine", "1", **mine), named("other", "1", **other)],
    )
    collection.gather(cast(Cluster, shelf), "ns", tmp_path / "kept")
    kept = tmp_path / "kept"
    assert sorted(path.name for path in kept.iterdir()) == [
        "clusternetwork.yaml",
        "event.yaml",
        "not-read.txt",
        "vm.yaml",
        "vmmacl.yaml",
    ]
    machines = documents(kept / "vm.yaml")
    assert [body["metadata"]["name"] for body in machines] == ["a", "b"]
    assert (machines[0]["kind"], machines[0]["apiVersion"]) == (
        "VirtualMachine",
        "virtualization.deckhouse.io/v1alpha2",
    )
    assert [body["metadata"]["name"] for body in documents(kept / "vmmacl.yaml")] == ["mine"]
    assert "IPAddressPool: pools are not served" in (kept / "not-read.txt").read_text()
