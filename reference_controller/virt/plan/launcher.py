"""The launcher pod of an instance."""

from __future__ import annotations

from reference_controller.api import kinds, names
from reference_controller.api.internal import Instance
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, owner_reference

from .world import Node

GRACE_SECONDS = 30
IMAGE = "plumbline.internal/launcher"
"""No kubelet pulls it: the node agent runs the guest itself."""


def create(instance: Instance, node: Node) -> Create:
    """A pod bound to `node`; its name follows the instance's UID, so a repeat is AlreadyExists."""
    meta = instance.metadata
    labels = {
        **meta.labels,
        names.LAUNCHER_LABEL: names.LAUNCHER_LABEL_VALUE,
        names.LAUNCHER_VM_LABEL: instance.name,
    }
    spec: Json = {
        "nodeName": node.name,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [{"name": "compute", "image": IMAGE}],
    }
    return Create(
        kinds.POD,
        {
            "metadata": {
                "name": names.derived_name(f"virt-launcher-{instance.name}", instance.uid),
                "namespace": instance.namespace,
                "labels": labels,
                "annotations": dict(meta.annotations),
                "ownerReferences": [owner_reference(instance, kinds.INTERNAL_INSTANCE)],
            },
            "spec": spec,
        },
    )
