"""A real API server with the contract's CRDs, without any component: enough to judge CRDs."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from e2e.environments.embedded import objects
from e2e.environments.embedded.control_plane import ControlPlaneProcesses, Server
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.supervisor import Child, Supervisor
from tools.controlplane import locate


@dataclass(frozen=True)
class Kubectl:
    """kubectl as an administrator."""

    binary: Path
    kubeconfig: Path

    def __call__(self, *argv: str, given: object = None) -> subprocess.CompletedProcess[str]:
        text = json.dumps(given) if given is not None else None
        return subprocess.run(
            [str(self.binary), f"--kubeconfig={self.kubeconfig}", *argv],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def make(self, manifest: dict[str, Any], status: dict[str, Any] | None = None) -> None:
        """Creates an object and sets its status."""
        made = self("create", "--validate=strict", "-f", "-", given=manifest)
        assert made.returncode == 0, made.stderr
        if status is not None:
            group = str(manifest["apiVersion"]).split("/")[0]
            patched = self(
                "patch",
                f"{str(manifest['kind']).lower()}.{group}",
                str(manifest["metadata"]["name"]),
                "--subresource=status",
                "--type=merge",
                f"--patch={json.dumps({'status': status})}",
            )
            assert patched.returncode == 0, patched.stderr

    def table(self, *argv: str) -> tuple[list[str], list[str]]:
        """Header and first row of `kubectl get`, split where the header's columns begin."""
        shown = self("get", *argv)
        assert shown.returncode == 0, shown.stderr
        header, row, *_ = shown.stdout.splitlines()
        starts = [
            at
            for at in range(len(header))
            if header[at] != " " and (at == 0 or header[at - 1] == " ")
            if at == 0 or header[max(0, at - 3) : at].strip() == ""
        ]
        ends = [*starts[1:], None]
        cut = [slice(start, end) for start, end in zip(starts, ends, strict=True)]
        return [header[part].strip() for part in cut], [row[part].strip() for part in cut]


@dataclass(frozen=True)
class Started:
    """The control plane of a test session."""

    supervisor: Supervisor
    server: Server
    kubectl: Kubectl


async def _start(folder: Path) -> Started:
    layout = Layout(folder)
    layout.make()
    binaries = locate()
    supervisor = Supervisor(layout.logs)
    server = await ControlPlaneProcesses(binaries, layout, supervisor).start_api("test")
    async with server.api() as api:
        await objects.install_crds(api)
    return Started(supervisor, server, Kubectl(binaries.kubectl, layout.admin))


async def _stop(children: tuple[Child, ...]) -> None:
    for child in children:
        # On SIGTERM an API server that has lost its etcd lingers for minutes.
        child.kill(signal.SIGKILL)
    await asyncio.gather(*(child.exited for child in children))


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """An API server that knows the contract's CRDs."""
    with asyncio.Runner() as runner:
        made = runner.run(_start(tmp_path_factory.mktemp("control-plane")))
        yield made
        runner.run(_stop(made.supervisor.children))


@pytest.fixture(scope="session")
def kubectl(started: Started) -> Kubectl:
    """kubectl towards that API server."""
    return started.kubectl
