"""The values of the embedded environment, in one place (docs/reference/environment.md).

Components learn of them only through their documented environment variables and options.
"""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
CRDS = REPOSITORY / "features" / "contract" / "crds"
DEPLOY = REPOSITORY / "reference_controller" / "deploy"
MANIFESTS = Path(__file__).resolve().parent / "manifests"
WEBHOOKS = DEPLOY / "webhooks.yaml"

SYSTEM_NAMESPACE = "plumbline-system"
NODES = ("node-a", "node-b")
HUB = "hub"
MAIN_BRIDGE = "main"

CIDRS = ("10.66.10.0/24",)
MAIN_GATEWAY = "10.66.0.1"
MAIN_PREFIX_LENGTH = 16
SERVICE_CIDR = "10.96.0.0/16"
CLUSTER_UUID = "17eb5ee6-192c-4f5e-8d0a-6b1f0c2f9a11"
"""Gives the OUI 5e:e6:19 (spec 1.2)."""
RETENTION = "10m"
RETENTION_SECONDS = 600.0
LEASE_TTL_SECONDS = 2.0
NIC_SLOTS = 8
AGENT_POLL_INITIAL = "0.5s"
AGENT_POLL_MAX = "2s"

FEATURES = ("Gates", "InstanceStatus", "MultiNode", "Slots", "TapByDVP")
TOKEN_SECONDS = 24 * 3600
