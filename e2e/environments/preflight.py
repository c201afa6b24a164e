"""What the machine must offer before an embedded environment can come up.

Everything that is missing is said at once, with what to do about it; nothing on the machine is
changed.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from e2e.environments.embedded.recipes import GuestFiles
from fixtures.errors import EnvironmentUnfit
from tools.controlplane import ControlPlane, ControlPlaneMissing, locate

PROGRAMS = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "mount": "mount",
    "ip": "iproute2",
    "socat": "socat",
    "qemu-system-x86_64": "qemu-system-x86",
}
"""Each program and the Debian package that has it."""
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""An ordinary user's PATH often lacks them, and `ip` is there."""
TUN = Path("/dev/net/tun")
NAMESPACES = ("unshare", "-Urmpf", "--kill-child", "--mount-proc")
"""How a rig is started: user, mount and pid namespaces, killed with their parent."""


@dataclass(frozen=True)
class Fit:
    """What a rig is made of, once everything is there."""

    binaries: ControlPlane
    guest: GuestFiles


def search_path() -> str:
    """PATH with the system's folders."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join([*parts, *(item for item in SYSTEM_FOLDERS if item not in parts)])


def check(say: Callable[[str], None]) -> Fit:
    """Looks everything over; makes the guest image if it is not there yet.

    Raises:
        EnvironmentUnfit: with one line for each thing that is missing.
    """
    troubles = [*missing_programs(), *tun_trouble()]
    if shutil.which("unshare", path=search_path()):
        troubles += namespace_trouble()
    binaries: ControlPlane | None = None
    try:
        binaries = locate()
    except ControlPlaneMissing as missing:
        troubles.append(str(missing))
    guest: GuestFiles | None = None
    if not troubles:
        guest = guest_files(say)
    if troubles or binaries is None or guest is None:
        raise EnvironmentUnfit(
            "the embedded environment cannot run on this machine:\n"
            + "\n".join(f"  - {trouble}" for trouble in troubles)
        )
    return Fit(binaries, guest)


def missing_programs(path: str | None = None) -> list[str]:
    """One line for each program that is not installed."""
    return [
        f"no {program}; as root: apt-get install {package}"
        for program, package in PROGRAMS.items()
        if shutil.which(program, path=path or search_path()) is None
    ]


def tun_trouble(device: Path = TUN) -> list[str]:
    """Why no tap can be made, if none can: guests' NICs are taps."""
    try:
        os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            mode = stat.S_IMODE(device.stat().st_mode)
            return [
                f"{device} has mode {mode:04o} and does not open for you"
                f" (user {os.getuid()}), so guests can have no NIC; as root: chmod 0666 {device}"
            ]
        return [
            f"{device} does not open ({error.strerror}), so guests can have no NIC;"
            " as root: modprobe tun"
        ]
    return []


def namespace_trouble() -> list[str]:
    """Why no namespaces can be made, if none can."""
    done = subprocess.run(
        [*NAMESPACES, "mount", "-t", "tmpfs", "tmpfs", "/run"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": search_path()},
    )
    if done.returncode == 0:
        return []
    return [
        f"namespaces cannot be made ({done.stderr.strip() or done.returncode}); look at the"
        " sysctls user.max_user_namespaces (0 forbids), kernel.unprivileged_userns_clone (1"
        " allows), kernel.apparmor_restrict_unprivileged_userns (0 allows)"
    ]


def guest_files(say: Callable[[str], None]) -> GuestFiles:
    """Kernel, initramfs and template of the guests, made if need be.

    The image's maker is a process of its own: it drives guests with the reference's drivers, which
    the suite does not import.

    Raises:
        EnvironmentUnfit: they cannot be made.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.guest_image"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: list[str] = []
    with process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            lines.append(line.rstrip())
            say(line.rstrip())
        place = process.stdout.read().strip()
    if process.returncode != 0 or not place:
        why = "\n".join(lines[-5:]) or f"exit status {process.returncode}"
        raise EnvironmentUnfit(f"there is no guest image: {why}")
    template = Path(place)
    return GuestFiles(template.parent / "kernel", template.parent / "initrd", template)
