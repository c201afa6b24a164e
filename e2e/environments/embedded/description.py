"""Writes the environment's description, the one thing that the suite knows of it.

The keys are those of `fixtures.cluster.description`; every path is as seen from outside the rig.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from e2e.environments.embedded import recipes, settings
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.recipes import GuestFiles
from tools.controlplane import ControlPlane

HOLD = "plumbline.internal/hold-answers"
Json = dict[str, Any]

BUDGETS = {"nic": 40.0, "condition": 15.0, "start": 180.0, "restart": 180.0}
"""Seconds. Guests without KVM on two cores that others use, too: a busy machine is no defect."""


def describe(
    *,
    name: str,
    pid: int,
    controller: str,
    host_key: str,
    binaries: ControlPlane,
    guest: GuestFiles,
) -> Json:
    """The description as a document.

    Args:
        pid: of the rig, as the host numbers it.
        controller: command line of a foreign controller; empty for the reference.
        host_key: public key of every guest.
    """
    outside = Layout.outside(pid)
    account = f"system:serviceaccount:{settings.SYSTEM_NAMESPACE}:"
    names = (recipes.IMPLEMENTATION, "virt", "sdn", "node")
    floor = floor_command(pid, guest)
    return {
        "budgets": dict(BUDGETS),
        "schema": 1,
        "name": name,
        "implementation": controller or reference(),
        "kubeconfig": str(outside.admin),
        "features": list(settings.FEATURES),
        "cidrs": list(settings.CIDRS),
        "cluster_uuid": settings.CLUSTER_UUID,
        "audit_log": str(outside.audit_log),
        "component_users": [account + recipes.IMPLEMENTATION],
        "writers": [account + item for item in names],
        "retention": settings.RETENTION_SECONDS,
        "lease_ttl": settings.LEASE_TTL_SECONDS,
        "virtual_machine": {"template": str(settings.MANIFESTS / "virtual-machine.yaml")},
        "network": {
            "cluster_network": str(settings.MANIFESTS / "cluster-network.yaml"),
            "network": str(settings.MANIFESTS / "network.yaml"),
        },
        "guest": _guest(outside, pid, host_key),
        "levers": _levers(binaries.kubectl, outside.admin),
        **({"floor": {"command": floor}} if floor else {}),
    }


def reference() -> str:
    """What the report calls our own controller."""
    return f"reference_controller.vm {importlib.metadata.version('plumbline')}"


def _guest(outside: Layout, pid: int, host_key: str) -> Json:
    enter = [
        "nsenter",
        f"--target={pid}",
        "--user",
        "--preserve-credentials",
        f"--net={outside.netns(settings.HUB)}",
        "--",
        "socat",
        "-",
    ]
    return {
        "user": "root",
        "private_key": str(outside.ssh_key),
        "host_key": host_key,
        "proxy_command": [*enter, "TCP:{host}:{port},nodelay"],
        "proxy_command_link_local": [*enter, "TCP6:[{host}%{network}]:{port},nodelay"],
        "main_bridge": settings.MAIN_BRIDGE,
    }


def _levers(kubectl: Path, admin: Path) -> Json:
    annotate = [
        str(kubectl),
        f"--kubeconfig={admin}",
        "--namespace={namespace}",
        "annotate",
        "--overwrite",
        "{kind}.network.deckhouse.io",
        "{name}",
    ]
    return {
        "hold_sdn_answer": [*annotate, f"{HOLD}=true"],
        "release_sdn_answer": [*annotate, f"{HOLD}-"],
    }


def floor_command(pid: int, guest: GuestFiles) -> list[str] | None:
    """The command that measures a plug without Kubernetes, inside the rig; None without one."""
    if importlib.util.find_spec("tools.benchmarks.floor") is None:
        return None
    return [
        *("nsenter", f"--target={pid}", "--user", "--preserve-credentials", "--mount", "--pid"),
        *(f"--wd={os.getcwd()}", "--", sys.executable, "-m", "tools.benchmarks.floor"),
        *("--kernel", str(guest.kernel), "--initrd", str(guest.initrd)),
        *("--template", str(guest.template)),
    ]


def to_toml(document: Mapping[str, Any]) -> str:
    """TOML of a document with one level of tables; JSON's strings and lists are TOML's."""
    lines = [_line(key, value) for key, value in document.items() if not isinstance(value, dict)]
    for key, value in document.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(_line(*item) for item in value.items())]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"
