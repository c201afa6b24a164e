"""Manifest files, and where their objects live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from e2e.environments.embedded import accounts, manifests, settings
from e2e.environments.embedded.manifests import ManifestUnusable


def document(api: str, kind: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": metadata}


@pytest.mark.parametrize(
    ("made", "path"),
    [
        (document("v1", "Namespace", name="n"), "/api/v1/namespaces/n"),
        (
            document("v1", "ServiceAccount", name="a", namespace="n"),
            "/api/v1/namespaces/n/serviceaccounts/a",
        ),
        (
            document("rbac.authorization.k8s.io/v1", "ClusterRole", name="r"),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/r",
        ),
        (
            document("rbac.authorization.k8s.io/v1", "Role", name="r"),
            "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/r",
        ),
    ],
)
def test_path(made: dict[str, Any], path: str) -> None:
    assert manifests.path(made) == path


def test_a_kind_that_is_not_applied_is_named() -> None:
    with pytest.raises(ManifestUnusable, match="StatefulSet/x"):
        manifests.path(document("apps/v1", "StatefulSet", name="x"))


@pytest.mark.parametrize(
    ("text", "token"), [("a: [", "no YAML"), ("just text", "kind"), ("kind: X", "apiVersion")]
)
def test_a_file_that_is_no_manifest_is_named(tmp_path: Path, text: str, token: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ManifestUnusable, match=token) as caught:
        manifests.load(path)
    assert "bad.yaml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ManifestUnusable, match=r"none\.yaml"):
        manifests.load(tmp_path / "none.yaml")


def test_a_folder_gives_the_documents_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("apiVersion: v1\nkind: B\nmetadata: {}\n---\n")
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: A\nmetadata: {}\n")
    assert [item["kind"] for item in manifests.load_folder(tmp_path)] == ["A", "B"]


def test_every_component_has_an_account_and_every_file_can_be_applied() -> None:
    documents = manifests.only(manifests.load_folder(settings.DEPLOY), *accounts.KINDS)
    names = {item["metadata"]["name"] for item in manifests.only(documents, "ServiceAccount")}
    assert {"vm", "virt", "sdn", "node"} <= names
    assert all(manifests.path(item).startswith("/ap") for item in documents)


def test_no_component_is_an_administrator() -> None:
    for binding in manifests.only(manifests.load_folder(settings.DEPLOY), "ClusterRoleBinding"):
        assert binding["roleRef"]["name"] != "cluster-admin"
    for role in manifests.only(manifests.load_folder(settings.DEPLOY), "ClusterRole", "Role"):
        for rule in role["rules"]:
            assert "*" not in rule["verbs"] + rule.get("resources", [])
