"""`python -m tools.guest_image [--refresh]`: make the guest image if need be, print where it is.

Exit status 3: it cannot be made here, and why.
"""

import argparse
import signal
import sys
from types import FrameType

from tools.guest_image import GuestImageUnavailable, ensure

UNFIT = 3
TERMINATED = 128 + signal.SIGTERM


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.guest_image", description=__doc__)
    parser.add_argument(
        "--refresh", action="store_true", help="make it anew from the newest packages apt knows"
    )
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _terminated)
    try:
        image = ensure(refresh=arguments.refresh)
    except GuestImageUnavailable as exc:
        print(f"guest image: {exc}", file=sys.stderr)
        return UNFIT
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    print(image.template.directory)
    return 0


def _terminated(_number: int, _frame: FrameType | None) -> None:
    # Leave through every clean-up: a guest may be running.
    sys.exit(TERMINATED)


if __name__ == "__main__":
    sys.exit(main())
