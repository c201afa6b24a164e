"""SIGINT and SIGTERM as one exception, so that everything held is let go on the way out."""

from __future__ import annotations

import signal
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """The user, or whoever started us, wants this to end.

    Attributes:
        exit_code: 130 or 143, as a shell reports such an end.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


def take_over() -> None:
    """From now on both signals raise Interrupted, the first time; what tears down is not disturbed
    by another one.
    """
    for number in SIGNALS:
        signal.signal(number, _raise)


def _raise(number: int, _: FrameType | None) -> None:
    for other in SIGNALS:
        signal.signal(other, _ignore)
    raise Interrupted(number)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """SIG_IGN would be inherited by processes that are started during the teardown."""
