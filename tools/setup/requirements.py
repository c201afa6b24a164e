"""What a machine must have: commands from Debian packages, and what its kernel must allow.

As root, packages are installed by set-up; an ordinary user is told what is missing and what to do.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where `ip` is on Debian; an ordinary user's PATH lacks them."""


@dataclass(frozen=True)
class Package:
    """A Debian package and what proves that it, or its like, is installed."""

    name: str
    provides: str
    """A command, or the absolute path of a file."""
    purpose: str


@dataclass(frozen=True)
class Missing:
    """One thing that is missing and what to do about it."""

    what: str
    todo: str

    def __str__(self) -> str:
        return f"missing: {self.what}; {self.todo}"


PACKAGES = (
    Package("qemu-system-x86", "qemu-system-x86_64", "runs the guests"),
    Package("socat", "socat", "carries SSH into the rig"),
    Package("iproute2", "ip", "shows what the rig made"),
    Package("util-linux", "unshare", "isolates the rig"),
    Package("ca-certificates", "/etc/ssl/certs/ca-certificates.crt", "lets downloads be verified"),
)


def is_installed(package: Package) -> bool:
    """Whether what the package provides is there, by whatever way it came."""
    if package.provides.startswith("/"):
        return Path(package.provides).exists()
    path = f"{os.environ.get('PATH', '')}:{SYSTEM_FOLDERS}"
    return shutil.which(package.provides, path=path) is not None


def missing_packages(present: Callable[[Package], bool] = is_installed) -> tuple[Package, ...]:
    """The packages to install."""
    return tuple(package for package in PACKAGES if not present(package))


def apt_knows_packages(lists: Path = Path("/var/lib/apt/lists")) -> bool:
    """Whether apt has fetched its lists; the guest image is made of packages found in them."""
    return any(lists.glob("*_Packages*"))


def describe(package: Package) -> Missing:
    """Tells an ordinary user about a package."""
    return Missing(
        f"{package.provides} ({package.purpose})", f"as root: apt-get install {package.name}"
    )


@dataclass(frozen=True)
class Probe:
    """A command that succeeds exactly where the kernel allows what the rig does."""

    what: str
    argv: tuple[str, ...]
    todo: str


NAMESPACES = Probe(
    "user namespaces (the rig runs inside one)",
    ("unshare", "-Urmpf", "--kill-child", "--mount-proc", "true"),
    "as root: sysctl -w user.max_user_namespaces=10000, and where these settings exist "
    "kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0",
)
KERNEL_PROBES = (
    Probe(
        "bridges in network namespaces",
        ("unshare", "-Urn", "ip", "link", "add", "probe", "type", "bridge"),
        "as root: modprobe bridge",
    ),
    Probe(
        "veth pairs in network namespaces",
        ("unshare", "-Urn", "ip", "link", "add", "probe", "type", "veth", "peer", "name", "other"),
        "as root: modprobe veth",
    ),
    Probe(
        "taps (/dev/net/tun cannot be used)",
        ("unshare", "-Urn", "ip", "tuntap", "add", "probe", "mode", "tap"),
        "as root: modprobe tun && chmod 666 /dev/net/tun",
    ),
    Probe(
        "IPv6 (guests without a Main network are reached at link-local addresses)",
        ("test", "-e", "/proc/net/if_inet6"),
        "as root: boot without ipv6.disable=1",
    ),
)


def passes(probe: Probe) -> bool:
    """Runs a probe."""
    environ = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_FOLDERS}"}
    try:
        done = subprocess.run(probe.argv, env=environ, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def kernel_refusals(allowed: Callable[[Probe], bool] = passes) -> tuple[Missing, ...]:
    """What the kernel does not allow; without namespaces the other probes mean nothing."""
    if not allowed(NAMESPACES):
        return (Missing(NAMESPACES.what, NAMESPACES.todo),)
    return tuple(Missing(probe.what, probe.todo) for probe in KERNEL_PROBES if not allowed(probe))
