"""Debian packages, downloaded and unpacked by apt and dpkg; none is installed here."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.guest_image.errors import GuestImageUnavailable

ARCHITECTURE = "amd64"
NAME = re.compile(r"[a-z0-9][a-z0-9.+-]+")
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Package:
    """What apt would install: `sha256` names the exact file, `depends` the packages it asks for."""

    name: str
    version: str
    sha256: str
    size: int
    depends: tuple[str, ...]


def require_tools() -> None:
    """GuestImageUnavailable when this is not a machine with apt for the guests' architecture."""
    missing = [tool for tool in ("apt-get", "apt-cache", "dpkg-deb") if shutil.which(tool) is None]
    if missing:
        raise GuestImageUnavailable(
            f"the guest image is made of Debian packages, but {', '.join(missing)} is missing here;"
            " run this on Debian 12, or copy the cache of a machine that has the image"
        )
    has = _run(["dpkg", "--print-architecture"]).strip()
    if has != ARCHITECTURE:
        raise GuestImageUnavailable(
            f"the guest image is made for {ARCHITECTURE}, but apt here serves {has}"
        )


def candidates(names: Iterable[str]) -> list[Package]:
    """What apt would install for each name.

    Raises:
        GuestImageUnavailable: apt knows no package of a name.
    """
    wanted = sorted(set(names))
    shown = parse_stanzas(_run(["apt-cache", "show", "--no-all-versions", *wanted], check=False))
    unknown = [name for name in wanted if name not in shown]
    if unknown:
        raise GuestImageUnavailable(
            f"apt knows no package {', '.join(unknown)}; fetch its lists with `apt-get update`"
            " (as root) and see that the sources name Debian 12 with its security updates"
        )
    return [shown[name] for name in wanted]


def parse_stanzas(text: str) -> dict[str, Package]:
    """Read the answer of `apt-cache show`.

    Stanzas without a hash are of installed packages that apt cannot fetch; they are left out.
    """
    found: dict[str, Package] = {}
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", stanza, re.MULTILINE))
        if "Package" not in fields or "SHA256" not in fields:
            continue
        asked = f"{fields.get('Pre-Depends', '')},{fields.get('Depends', '')}".split(",")
        # Of alternatives the first one; versions are apt's business.
        depends = (NAME.match(one.strip()) for one in asked)
        package = Package(
            fields["Package"],
            fields["Version"],
            fields["SHA256"],
            int(fields["Size"]),
            tuple(one[0] for one in depends if one),
        )
        found.setdefault(package.name, package)
    return found


def fetch(packages: Iterable[Package], folder: Path) -> None:
    """Download and unpack each package into `folder`/<name>.

    Raises:
        GuestImageUnavailable: the download failed.
        OSError: the disk is full.
    """
    wanted = list(packages)
    folder.mkdir(parents=True, exist_ok=True)
    # As root, apt would drop to a user that may not write here, and complain.
    sandbox = ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
    exact = [f"{package.name}={package.version}" for package in wanted]
    try:
        _run(["apt-get", "download", "-q", *sandbox, *exact], cwd=folder)
    except subprocess.CalledProcessError as exc:
        raise _failure(
            "the download of Debian packages failed; if apt's lists are old, renew them with"
            " `apt-get update` (as root). apt says",
            exc,
        ) from exc
    for package in wanted:
        # Not by version: its epoch's colon is quoted in file names.
        (archive,) = folder.glob(f"{package.name}_*.deb")
        try:
            _run(["dpkg-deb", "-x", archive.name, package.name], cwd=folder)
        except subprocess.CalledProcessError as exc:
            raise _failure(f"{package.name} cannot be unpacked; dpkg-deb says", exc) from exc
        archive.unlink()


def _failure(what: str, exc: subprocess.CalledProcessError) -> Exception:
    """Several tools say several things of a full disk; whoever owns the folder says what to do."""
    said = str(exc.stderr).strip()
    if os.strerror(errno.ENOSPC) in said:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return GuestImageUnavailable(f"{what}: {said.splitlines()[0] if said else 'nothing'}")


def megabytes(packages: Iterable[Package]) -> float:
    """Download size of all together."""
    return sum(package.size for package in packages) / MEGABYTE


def _run(words: list[str], *, cwd: Path | None = None, check: bool = True) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        words, cwd=cwd, check=check, capture_output=True, text=True, env=environment
    )
    return done.stdout
