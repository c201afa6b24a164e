"""Kubeconfig files: whole in themselves, so that they can be copied anywhere."""

from __future__ import annotations

import base64
from pathlib import Path

import yaml

from e2e.environments.embedded.certificates import Pair, write_secret


def with_certificate(pair: Pair) -> dict[str, str]:
    """The user part for a client certificate."""
    return {
        "client-certificate-data": base64.b64encode(pair.certificate.read_bytes()).decode(),
        "client-key-data": base64.b64encode(pair.key.read_bytes()).decode(),
    }


def with_token(token: str) -> dict[str, str]:
    """The user part for a ServiceAccount token."""
    return {"token": token}


def write(path: Path, *, name: str, server: str, ca_base64: str, user: dict[str, str]) -> None:
    """Writes a kubeconfig with one cluster, one user and one context, all called `name`."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [
            {
                "name": name,
                "cluster": {"server": server, "certificate-authority-data": ca_base64},
            }
        ],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    write_secret(path, yaml.safe_dump(document, sort_keys=False).encode())
