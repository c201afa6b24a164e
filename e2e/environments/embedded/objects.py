"""Objects that the environment makes for every machine: the CRDs, a class and an image."""

from __future__ import annotations

import asyncio

from e2e.environments.embedded import manifests, settings
from e2e.environments.embedded.kube_api import MERGE, ApiRefused, Json, KubeApi, Objects
from e2e.environments.embedded.trouble import BringUpFailed

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_EPOCH = "2026-01-01T00:00:00Z"


async def install_crds(api: KubeApi) -> None:
    """Creates every CRD of the contract side by side and waits until all are served.

    Raises:
        BringUpFailed: the API server refuses one.
    """
    documents = manifests.load_folder(settings.CRDS)
    try:
        await asyncio.gather(*(api.request("POST", _CRDS, item) for item in documents))
    except ApiRefused as refused:
        raise BringUpFailed("CRDs", str(refused)) from refused
    names = {str(item["metadata"]["name"]) for item in documents}

    def established(found: Objects) -> bool:
        return all(name in found and condition(found[name], "Established") for name in names)

    await api.until(_CRDS, established)


async def make_class_and_image(api: KubeApi) -> None:
    """Creates what a VirtualMachine refers to, ready for use."""
    statuses: dict[str, Json] = {
        "class": {},
        "image": {"format": "iso", "cdrom": True, "size": {"stored": "1Mi", "unpacked": "1Mi"}},
    }
    for file, status in statuses.items():
        (document,) = manifests.load(settings.MANIFESTS / f"{file}.yaml")
        made = await api.apply(manifests.path(document), document)
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "Ready",
            "message": "",
            "lastTransitionTime": _EPOCH,
            "observedGeneration": made["metadata"]["generation"],
        }
        patch = {"status": {"phase": "Ready", "conditions": [ready], **status}}
        await api.request("PATCH", manifests.path(document) + "/status", patch, content_type=MERGE)


def condition(document: Json, kind: str) -> bool:
    """Whether an object has a condition of this type that is True."""
    conditions = (document.get("status") or {}).get("conditions") or ()
    return any(item["type"] == kind and item["status"] == "True" for item in conditions)
