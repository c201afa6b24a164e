"""Webhook configurations that call a process on the loopback device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from e2e.environments.embedded import settings, webhooks
from e2e.environments.embedded.manifests import ManifestUnusable


def configuration(client_config: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "w"},
        "webhooks": [{"name": "a.b.c", "clientConfig": client_config}],
    }


def written(path: Path, *documents: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump_all(documents))
    return path


@pytest.mark.parametrize(
    ("client_config", "path"),
    [
        ({"url": "https://127.0.0.1:{webhook_port}/validate?x=1"}, "/validate?x=1"),
        ({"url": "https://host"}, "/"),
        ({"service": {"name": "s", "namespace": "n", "path": "/v"}}, "/v"),
        ({"service": {"name": "s", "namespace": "n"}}, "/"),
    ],
)
def test_a_webhook_is_called_at_the_port_of_the_process(
    tmp_path: Path, client_config: dict[str, Any], path: str
) -> None:
    documents = webhooks.load(written(tmp_path / "w.yaml", configuration(client_config)))
    (changed,) = webhooks.at(documents, 7443, "Q0E=")
    expected = {"url": f"https://127.0.0.1:7443{path}", "caBundle": "Q0E="}
    assert changed["webhooks"][0]["clientConfig"] == expected
    assert documents[0]["webhooks"][0]["clientConfig"] == client_config


@pytest.mark.parametrize("client_config", [None, {}, {"url": "http://127.0.0.1/"}])
def test_a_webhook_without_a_place_to_call_is_refused(
    tmp_path: Path, client_config: dict[str, Any] | None
) -> None:
    path = written(tmp_path / "w.yaml", configuration(client_config))
    with pytest.raises(ManifestUnusable, match=r"a\.b\.c"):
        webhooks.load(path)


def test_a_manifest_without_webhooks_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "w.yaml", {"apiVersion": "v1", "kind": "Secret", "metadata": {}})
    with pytest.raises(ManifestUnusable, match=r"w\.yaml"):
        webhooks.load(path)
    empty = {**configuration({}), "webhooks": []}
    with pytest.raises(ManifestUnusable, match="has no webhooks"):
        webhooks.load(written(tmp_path / "e.yaml", empty))


def test_the_webhooks_of_the_reference_can_be_registered() -> None:
    documents = webhooks.load(settings.WEBHOOKS)
    kinds = {document["kind"] for document in documents}
    assert kinds == set(webhooks.KINDS)
