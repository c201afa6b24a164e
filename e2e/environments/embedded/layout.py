"""Where things lie in the rig's private tmpfs.

Inside the rig the root is `/run/plumbline`. From outside the same files are below
`/proc/<pid of the rig>/root`, for as long as the rig lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STATE = Path("/run/plumbline")
NETNS = Path("/run/netns")


@dataclass(frozen=True)
class Layout:
    """Paths of one rig, as seen from wherever `root` starts.

    Attributes:
        root: `/` inside the rig, `/proc/<pid>/root` outside.
    """

    root: Path = Path("/")

    @classmethod
    def outside(cls, pid: int) -> Layout:
        """The paths of the rig whose process, as the host numbers it, is `pid`."""
        return cls(Path(f"/proc/{pid}/root"))

    def _state(self, *parts: str) -> Path:
        return (self.root / STATE.relative_to("/")).joinpath(*parts)

    @property
    def state(self) -> Path:
        return self._state()

    @property
    def logs(self) -> Path:
        return self._state("logs")

    @property
    def audit_log(self) -> Path:
        return self._state("audit.log")

    @property
    def etcd(self) -> Path:
        return self._state("etcd")

    @property
    def certificates(self) -> Path:
        return self._state("pki")

    @property
    def admin(self) -> Path:
        """Kubeconfig of the administrator, straight to the API server."""
        return self._state("admin.kubeconfig")

    def kubeconfig(self, component: str) -> Path:
        """Kubeconfig of one component, through its proxy listener."""
        return self._state("kubeconfigs", component)

    @property
    def ssh_key(self) -> Path:
        """Private key that guests accept."""
        return self._state("ssh", "id_ed25519")

    @property
    def identity(self) -> Path:
        """What guests are given: `authorized_keys`, `host_key`."""
        return self._state("identity")

    @property
    def description(self) -> Path:
        return self._state("environment.toml")

    @property
    def control(self) -> Path:
        """Socket of the rig itself."""
        return self._state("rig.sock")

    @property
    def proxy(self) -> Path:
        """Socket that takes the proxy's rules."""
        return self._state("proxy.sock")

    def guests(self, node: str) -> Path:
        return self._state("guests", node)

    def netns(self, name: str) -> Path:
        return self.root / NETNS.relative_to("/") / name

    def make(self) -> None:
        """Creates the folders, readable by their owner only."""
        for folder in (self.state, self.logs, self.certificates, self._state("kubeconfigs")):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.ssh_key.parent, self.identity, self._state("guests")):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.netns("").mkdir(mode=0o755, parents=True, exist_ok=True)
