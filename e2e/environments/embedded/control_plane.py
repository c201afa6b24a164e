"""etcd, kube-apiserver and kube-controller-manager: the real ones, with real TLS and RBAC.

The flags are those of seam.md, "Control plane flags that work", plus TLS for etcd, since its port
is open to every user of the machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from e2e.environments.embedded import kubeconfig, ports, settings
from e2e.environments.embedded.certificates import Authority, Pair, Signing
from e2e.environments.embedded.kube_api import NO_ANSWER, ApiRefused, KubeApi
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.supervisor import Child, Supervisor, unless_ended
from e2e.environments.embedded.trouble import BringUpFailed
from tools.controlplane import ControlPlane

ADMINS = "system:masters"
CONTROLLERS = (
    "garbage-collector-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "node-lifecycle-controller",
)
READY_SECONDS = 90.0
PROBE_SECONDS = 0.05
ATTEMPTS = 3
"""A port that was free may be taken before its server opens it."""
_TAKEN = "address already in use"
_GROUPS = ("virtualization.deckhouse.io", "internal.virtualization.deckhouse.io")


@dataclass(frozen=True)
class Server:
    """A running API server and the administrator's way to it."""

    url: str
    admin: Pair
    authority: Authority
    signing: Signing

    def api(self) -> KubeApi:
        return KubeApi(self.url, self.authority.client_context(self.admin))


def audit_policy() -> Mapping[str, object]:
    """Whole requests and answers of the platform's groups and of pods; the rest by their metadata.

    Reads change nothing and are left out. JSON is YAML, so this is written as it is.
    """
    whole = [{"group": group} for group in (*_GROUPS, "network.deckhouse.io")]
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "omitManagedFields": True,
        "rules": [
            {"level": "None", "verbs": ["get", "list", "watch"]},
            {
                "level": "RequestResponse",
                "resources": [*whole, {"group": "", "resources": ["pods", "pods/*"]}],
            },
            {"level": "Metadata"},
        ],
    }


class ControlPlaneProcesses:
    """Starts the three servers of one rig, in this order: `start_api`, then, once the CRDs are
    there, `start_controllers`: its garbage collector then knows the CRDs at once.
    """

    def __init__(self, binaries: ControlPlane, layout: Layout, supervisor: Supervisor) -> None:
        self._binaries = binaries
        self._layout = layout
        self._supervisor = supervisor
        self._authority = Authority(layout.certificates)

    async def start_api(self, name: str) -> Server:
        """etcd and the API server, ready to serve.

        Raises:
            BringUpFailed: with the last log lines of the one that failed.
        """
        authority = self._authority
        signing = authority.signing_keys("service-accounts")
        admin = authority.client("plumbline-admin", ADMINS)
        etcd = authority.server("etcd")
        serving = authority.server("kube-apiserver")
        policy = self._layout.certificates / "audit-policy.json"
        policy.write_text(json.dumps(audit_policy()))
        for attempt in range(ATTEMPTS):
            client_port, peer_port, port = ports.free(3)
            store = self._etcd(etcd, client_port, peer_port, attempt)
            server = self._apiserver(serving, etcd, client_port, port, signing, policy)
            found = Server(f"https://{ports.LOOPBACK}:{port}", admin, authority, signing)
            try:
                await _answers(found, store, server)
            except BringUpFailed as failure:
                for child in (server, store):
                    child.kill()
                    await child.exited
                if attempt + 1 == ATTEMPTS or not _port_taken(failure):
                    raise
                continue
            kubeconfig.write(
                self._layout.admin,
                name=f"plumbline-{name}",
                server=found.url,
                ca_base64=authority.bundle_base64,
                user=kubeconfig.with_certificate(admin),
            )
            return found
        raise AssertionError("the last attempt returns or raises")

    def start_controllers(self, server: Server) -> Child:
        """The controller manager, with the controllers that a platform without kubelets needs."""
        pair = server.authority.client("kube-controller-manager", ADMINS)
        config = self._layout.kubeconfig("kube-controller-manager")
        kubeconfig.write(
            config,
            name="kube-controller-manager",
            server=server.url,
            ca_base64=server.authority.bundle_base64,
            user=kubeconfig.with_certificate(pair),
        )
        (port,) = ports.free(1)
        return self._supervisor.start(
            "kube-controller-manager",
            [
                str(self._binaries.kube_controller_manager),
                f"--kubeconfig={config}",
                "--leader-elect=false",
                f"--bind-address={ports.LOOPBACK}",
                f"--secure-port={port}",
                f"--service-account-private-key-file={server.signing.private}",
                f"--root-ca-file={server.authority.bundle}",
                f"--controllers={','.join(CONTROLLERS)}",
                "--kube-api-qps=200",
                "--kube-api-burst=400",
            ],
        )

    def _etcd(self, pair: Pair, port: int, peer_port: int, attempt: int) -> Child:
        client, peer = (f"https://{ports.LOOPBACK}:{item}" for item in (port, peer_port))
        bundle = self._authority.bundle
        return self._supervisor.start(
            "etcd",
            [
                str(self._binaries.etcd),
                f"--data-dir={self._layout.etcd}-{attempt}",
                f"--listen-client-urls={client}",
                f"--advertise-client-urls={client}",
                f"--listen-peer-urls={peer}",
                f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=default={peer}",
                *(f"--{kind}cert-file={pair.certificate}" for kind in ("", "peer-")),
                *(f"--{kind}key-file={pair.key}" for kind in ("", "peer-")),
                *(f"--{kind}trusted-ca-file={bundle}" for kind in ("", "peer-")),
                *(f"--{kind}client-cert-auth" for kind in ("", "peer-")),
                "--unsafe-no-fsync",
                # Bookmarks tell of progress only as far as the API server has heard of it.
                "--watch-progress-notify-interval=500ms",
                "--log-level=warn",
            ],
        )

    def _apiserver(
        self, serving: Pair, etcd: Pair, etcd_port: int, port: int, signing: Signing, policy: Path
    ) -> Child:
        return self._supervisor.start(
            "kube-apiserver",
            [
                str(self._binaries.kube_apiserver),
                f"--etcd-servers=https://{ports.LOOPBACK}:{etcd_port}",
                f"--etcd-cafile={self._authority.bundle}",
                f"--etcd-certfile={etcd.certificate}",
                f"--etcd-keyfile={etcd.key}",
                f"--bind-address={ports.LOOPBACK}",
                f"--secure-port={port}",
                "--endpoint-reconciler-type=none",
                f"--service-cluster-ip-range={settings.SERVICE_CIDR}",
                f"--tls-cert-file={serving.certificate}",
                f"--tls-private-key-file={serving.key}",
                f"--client-ca-file={self._authority.bundle}",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={signing.public}",
                f"--service-account-signing-key-file={signing.private}",
                "--authorization-mode=RBAC",
                f"--audit-policy-file={policy}",
                f"--audit-log-path={self._layout.audit_log}",
                "--audit-log-mode=blocking",
                "--audit-log-maxsize=0",
            ],
        )


async def _answers(found: Server, store: Child, server: Child) -> None:
    """Waits until the API server says that it is ready, or a process has ended.

    Whoever else has the port may accept connections and never answer.
    """

    async def ready() -> None:
        async with found.api() as api:
            while True:
                try:
                    await api.request("GET", "/readyz")
                except (ApiRefused, *NO_ANSWER):
                    await server.within(PROBE_SECONDS)
                else:
                    return

    await unless_ended(ready(), store, server, missing="it is not ready", within=READY_SECONDS)


def _port_taken(failure: BringUpFailed) -> bool:
    return any(_TAKEN in line for line in failure.log)
