"""A real etcd and API server with our CRDs, for the tests of this folder."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import yaml

from e2e.environments.embedded import kubeconfig, ports
from e2e.environments.embedded.certificates import Authority
from fixtures.cluster import kinds
from fixtures.cluster.client import Cluster
from fixtures.cluster.kinds import Kind
from fixtures.errors import ClusterError
from fixtures.waiting.budgets import Budget
from fixtures.waiting.sampler import Sampler
from tools.controlplane import location

CRDS: Final = Path(__file__).parents[3] / "features" / "contract" / "crds"
CRD: Final = Kind(
    "CustomResourceDefinition",
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    False,
    "crd",
)
READY: Final = Budget("ready", 90, 90)
POLICY: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "omitManagedFields": True,
    "rules": [
        {"level": "None", "verbs": ["get", "list", "watch"]},
        {
            "level": "RequestResponse",
            "resources": [
                {"group": "virtualization.deckhouse.io"},
                {"group": "internal.virtualization.deckhouse.io"},
                {"group": "", "resources": ["pods"]},
            ],
        },
        {"level": "Metadata"},
    ],
}


class ApiServer:
    """Ended by `stop`, however far `start` came; `restart` loses its watch cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "kubeconfig"
        self.audit_log = folder / "audit.log"
        self._binaries = location.locate()
        self._authority = Authority(folder)
        self._serving = self._authority.server("kube-apiserver")
        self._etcd_port, self._peer_port, self._port = ports.free(3)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start both and install the CRDs."""
        self._write_files()
        self._run("etcd", self._etcd_arguments())
        self._run("kube-apiserver", self._server_arguments())
        self.wait_until_ready()
        self._install_crds(Cluster(self.config))

    def restart(self) -> None:
        """Kill the API server and start it again on the same port."""
        self._end("kube-apiserver")
        self._run("kube-apiserver", self._server_arguments())
        self.wait_until_ready()

    def stop(self) -> None:
        """End whatever runs."""
        for name in tuple(self._running):
            self._end(name)

    def wait_until_ready(self) -> None:
        """Wait until it lists CRDs and whatever they define."""
        Sampler().until(self._answers, bool, within=READY, what="the API server is ready")

    def _answers(self) -> bool:
        """A server that has just started answers 429 for custom resources for a while."""
        for name, process in self._running.items():
            assert process.poll() is None, (self.folder / f"{name}.log").read_text()[-2000:]
        cluster = Cluster(self.config, timeout=5)
        try:
            if len(cluster.list(CRD).items) > 0:
                for kind in kinds.BY_SHORT.values():
                    cluster.list(kind)
        except ClusterError:
            return False
        finally:
            cluster.close()
        return True

    def _install_crds(self, cluster: Cluster) -> None:
        manifests = [yaml.safe_load(path.read_text()) for path in sorted(CRDS.glob("*.yaml"))]
        with ThreadPoolExecutor(max_workers=8) as pool:
            list(pool.map(lambda manifest: cluster.create(CRD, manifest), manifests))
        self.wait_until_ready()

    def _run(self, name: str, arguments: Sequence[str]) -> None:
        binary = {"etcd": self._binaries.etcd, "kube-apiserver": self._binaries.kube_apiserver}
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", binary[name], *arguments],
                stdout=log,
                stderr=log,
            )

    def _end(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def _write_files(self) -> None:
        (self.folder / "policy.json").write_text(json.dumps(POLICY))
        kubeconfig.write(
            self.config,
            name="test",
            server=f"https://127.0.0.1:{self._port}",
            ca_base64=self._authority.bundle_base64,
            user=kubeconfig.with_certificate(self._authority.client("tester", "system:masters")),
        )

    def _etcd_arguments(self) -> list[str]:
        client, peers = (f"http://127.0.0.1:{port}" for port in (self._etcd_port, self._peer_port))
        return [
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--unsafe-no-fsync",
            "--log-level=warn",
        ]

    def _server_arguments(self) -> list[str]:
        key = self._serving.key
        return [
            f"--etcd-servers=http://127.0.0.1:{self._etcd_port}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._port}",
            "--endpoint-reconciler-type=none",
            "--service-cluster-ip-range=10.96.0.0/24",
            f"--tls-cert-file={self._serving.certificate}",
            f"--tls-private-key-file={key}",
            f"--client-ca-file={self._authority.bundle}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--authorization-mode=RBAC",
            f"--audit-policy-file={self.folder / 'policy.json'}",
            f"--audit-log-path={self.audit_log}",
            "--audit-log-mode=blocking",
            "--audit-log-maxsize=0",
        ]
