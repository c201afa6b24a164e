"""Admission webhooks of a component that runs beside the API server.

A manifest may say `clientConfig.url` or, as in a cluster, `clientConfig.service`: here both become
a URL on the loopback device with the port of the running process and the rig's CA.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from e2e.environments.embedded import manifests, ports
from e2e.environments.embedded.manifests import ManifestUnusable

Json = dict[str, Any]
KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def load(path: Path) -> tuple[Json, ...]:
    """The webhook configurations of a manifest file.

    Raises:
        ManifestUnusable: none in it, or one without webhooks or without a place to call.
    """
    found = manifests.only(manifests.load(path), *KINDS)
    if not found:
        raise ManifestUnusable(f"{path}: no {' and no '.join(KINDS)} in it")
    for document in found:
        if not document.get("webhooks"):
            raise ManifestUnusable(f"{path}: {document['metadata'].get('name')} has no webhooks")
        for webhook in document["webhooks"]:
            _call_path(webhook)
    return tuple(found)


def at(documents: Iterable[Json], port: int, ca_base64: str) -> list[Json]:
    """The configurations, calling a process on `port` of the loopback device."""
    changed = [copy.deepcopy(document) for document in documents]
    for document in changed:
        for webhook in document["webhooks"]:
            webhook["clientConfig"] = {
                "url": f"https://{ports.LOOPBACK}:{port}{_call_path(webhook)}",
                "caBundle": ca_base64,
            }
    return changed


def _call_path(webhook: Json) -> str:
    config = webhook.get("clientConfig") or {}
    if "url" in config:
        found = re.match(r"https://[^/]*(/.*)?$", str(config["url"]))
        if found is not None:
            return found[1] or "/"
    elif "service" in config:
        return str(config["service"].get("path") or "/")
    raise ManifestUnusable(
        f"webhook {webhook.get('name')}: clientConfig needs a service or an https:// url"
    )
