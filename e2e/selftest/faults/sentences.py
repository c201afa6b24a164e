"""Sentences of the tiny specifications, faulty ones among them."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from pytest_bdd import given, parsers, then

from e2e.selftest.faults import DRIVER

PATIENCE = 60.0


@pytest.fixture
def broken() -> None:
    """A fixture with a mistake."""
    raise AssertionError("planted: an assertion in a fixture is the suite's own mistake")


@given("all is well")
def all_is_well() -> None:
    pass


@given("it is said in two ways")
def said_in_one_way() -> None:
    pass


@given(parsers.parse("it is said in {count} ways"))
def said_in_another_way(count: str) -> None:
    pass


@then("nothing happens")
def nothing_happens() -> None:
    pass


@then("a broken fixture is needed")
def broken_fixture_is_needed(broken: None) -> None:
    pass


@then("its process is killed")
def its_process_is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@then("the run is told to stop")
def run_is_told_to_stop() -> None:
    os.kill(int(os.environ[DRIVER]), signal.SIGTERM)
    threading.Event().wait(PATIENCE)
