"""SIGINT and SIGTERM become one exception."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from e2e.environments import interruption
from e2e.environments.interruption import Interrupted


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in interruption.SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_exit_code_is_a_shells(number: signal.Signals, code: int) -> None:
    interruption.take_over()
    with pytest.raises(Interrupted) as caught:
        os.kill(os.getpid(), number)
    assert caught.value.exit_code == code
    os.kill(os.getpid(), number)  # a second one does not disturb what tears down
