"""Tests that start real servers: what they start ends with them, also when pytest is terminated."""

import signal

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """By default SIGTERM would end pytest without any teardown and leave its servers running."""
    if not hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
