"""`python -m reference_controller.vm`: the VM controller as a process."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from reference_controller.runtime import logs, process
from reference_controller.vm import settings
from reference_controller.vm.operator import process as controller


def main() -> int:
    """Run the controller; exit code 2 for options or settings that cannot be used."""
    parser = argparse.ArgumentParser(prog="reference_controller.vm", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API server")
    parser.add_argument("--cert-dir", type=Path, help="directory with tls.crt, tls.key, ca.crt")
    parser.add_argument("--webhook-port", type=int, help="port on which admission is served")
    options = parser.parse_args()
    logs.configure(controller.COMPONENT)
    try:
        parsed = settings.parse(os.environ)
        server = settings.server(options.cert_dir, options.webhook_port)
        kubeconfig = settings.kubeconfig(options.kubeconfig)
    except settings.Unusable as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    process.run(controller.run(kubeconfig, parsed, server))


if __name__ == "__main__":
    sys.exit(main())
