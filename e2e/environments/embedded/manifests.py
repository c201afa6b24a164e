"""Manifest files that the environment applies, and where their objects live in the API."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]

_CLUSTER = {
    "Namespace": "namespaces",
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "CustomResourceDefinition": "customresourcedefinitions",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "ValidatingWebhookConfiguration": "validatingwebhookconfigurations",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
    "VirtualMachineClass": "virtualmachineclasses",
    "ClusterVirtualImage": "clustervirtualimages",
    "NodeNetworkInterface": "nodenetworkinterfaces",
}
_NAMESPACED = {
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "VirtualMachine": "virtualmachines",
}


class ManifestUnusable(Exception):
    """A manifest file that the environment cannot apply; the message names it."""


def load(path: Path) -> list[Json]:
    """The documents of one file.

    Raises:
        ManifestUnusable: no such file, no YAML, or a document that is no object of Kubernetes.
    """
    try:
        documents = [item for item in yaml.safe_load_all(path.read_text()) if item is not None]
    except OSError as error:
        raise ManifestUnusable(f"{path} cannot be read: {error.strerror or error}") from error
    except yaml.YAMLError as error:
        raise ManifestUnusable(f"{path} is no YAML: {error}") from error
    for item in documents:
        if not isinstance(item, dict) or not {"apiVersion", "kind", "metadata"} <= item.keys():
            raise ManifestUnusable(
                f"{path}: every document needs apiVersion, kind and metadata; one has not"
            )
    return documents


def load_folder(folder: Path) -> list[Json]:
    """The documents of every `*.yaml` of a folder, by file name."""
    return [item for path in sorted(folder.glob("*.yaml")) for item in load(path)]


def only(documents: Iterable[Json], *kinds: str) -> list[Json]:
    """Those of the given kinds."""
    return [item for item in documents if item["kind"] in kinds]


def collection(document: Json) -> str:
    """The URL path of the collection that an object belongs to.

    Raises:
        ManifestUnusable: a kind that the environment does not apply.
    """
    kind, version = str(document["kind"]), str(document["apiVersion"])
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    if kind in _CLUSTER:
        return f"{root}/{_CLUSTER[kind]}"
    if kind in _NAMESPACED:
        namespace = document["metadata"].get("namespace", "default")
        return f"{root}/namespaces/{namespace}/{_NAMESPACED[kind]}"
    known = ", ".join(sorted({*_CLUSTER, *_NAMESPACED}))
    raise ManifestUnusable(
        f"{kind}/{document['metadata'].get('name')}: the environment applies only {known}"
    )


def path(document: Json) -> str:
    """The URL path of an object."""
    return f"{collection(document)}/{document['metadata']['name']}"
