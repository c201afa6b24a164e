"""`python -m tools.controlplane`: makes sure that there is a control plane to start.

Exit codes: 0 there is one; 3 there is none and it cannot be built; 130 and 143 interrupted.
"""

import signal
import sys
from types import FrameType

from tools.controlplane import ControlPlaneMissing, ensure


class _Terminated(BaseException):
    """SIGTERM, as an exception: the build must clean up behind itself."""


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def main() -> int:
    """Ensures the control plane and returns the exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        found = ensure()
    except ControlPlaneMissing as exc:
        print(f"controlplane: {exc}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("controlplane: interrupted, nothing was left behind", file=sys.stderr)
        return 130
    except _Terminated:
        print("controlplane: terminated, nothing was left behind", file=sys.stderr)
        return 143
    print(f"control plane: {found.kube_apiserver.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
