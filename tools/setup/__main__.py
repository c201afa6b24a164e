"""`make setup`: packages, kernel, `.venv`, control plane, guest image; only what is missing.

Exit codes: 0 ready; 3 something is missing, named on stderr; 130 interrupted.
"""

import argparse
import functools
import os
import subprocess
import sys

from tools.setup import environment, requirements
from tools.setup.stages import StageFailed, run_quietly

ARTEFACTS = ("tools.controlplane", "tools.guest_image")
"""Packages of ours that make something, with progress of their own, inside `.venv`."""


def prepare_machine(*, root: bool) -> list[requirements.Missing]:
    """Installs what root may install; returns what is then still missing."""
    lacking = requirements.missing_packages()
    apt = functools.partial(
        run_quietly, environ={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    )
    if root and (lacking or not requirements.apt_knows_packages()):
        apt("updating the list of Debian packages", ["apt-get", "update"])
    if root and lacking:
        names = [package.name for package in lacking]
        apt(
            f"installing {' '.join(names)}",
            ["apt-get", "install", "-y", "--no-install-recommends", *names],
        )
        lacking = requirements.missing_packages()
    missing = [requirements.describe(package) for package in lacking]
    # The probes use `unshare` and `ip`; without them they would blame the kernel.
    if not {"unshare", "ip"} & {package.provides for package in lacking}:
        missing += requirements.kernel_refusals()
    return missing


def main(arguments: list[str] | None = None) -> int:
    """Does the set-up and returns the exit code."""
    parser = argparse.ArgumentParser(prog="setup", description=__doc__)
    parser.add_argument("--only-venv", action="store_true", help="what `make check` needs")
    chosen = parser.parse_args(arguments)
    try:
        if not chosen.only_venv:
            missing = prepare_machine(root=os.geteuid() == 0)
            for one in missing:
                print(f"setup: {one}", file=sys.stderr)
            if missing:
                return 3
        if not environment.is_current():
            environment.make(lambda title, argv: run_quietly(title, argv))
    except StageFailed as exc:
        print(f"setup: {exc}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("setup: interrupted; run it again to go on", file=sys.stderr)
        return 130
    return 0 if chosen.only_venv else make_artefacts()


def make_artefacts() -> int:
    """Makes the control plane and the guest image; returns the first exit code that is not 0."""
    python = str(environment.CHECKOUT / ".venv" / "bin" / "python")
    for module in ARTEFACTS:
        with subprocess.Popen([python, "-m", module], cwd=environment.CHECKOUT) as child:
            try:
                code = child.wait()
            except KeyboardInterrupt:
                # Ctrl-C reached the child too; it cleans up behind itself and then exits.
                code = child.wait()
        if code != 0:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
