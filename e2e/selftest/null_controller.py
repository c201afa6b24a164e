"""`python -m e2e.selftest.null_controller`: starts, does nothing, stays, until it is told to stop.

Takes the options of a controller and ignores them. Whatever passes against it proves nothing.
"""

from __future__ import annotations

import signal


def main() -> None:
    """Wait for SIGTERM or SIGINT."""
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    signal.sigwait(stop)


if __name__ == "__main__":
    main()
