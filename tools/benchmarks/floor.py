"""The floor: what a plug and an unplug cost on this machine with no Kubernetes anywhere.

`python -m tools.benchmarks.floor --kernel FILE --initrd FILE --template DIR`, as root of the user
namespace of a rig, prints the median seconds of consecutive stages as one JSON line:
`device_add` (QEMU took the NIC), `guest_link` (the guest has it), `lease` (it has its address) and
`unplug` (the guest let it go). The measuring is the node agent's own, with its drivers.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Become the measurement."""
    measure = [sys.executable, "-m", "reference_controller.node.floor", *sys.argv[1:]]
    os.execv(sys.executable, measure)


if __name__ == "__main__":
    main()
