"""Binds whatever specification the run was pointed at."""

from __future__ import annotations

from pytest_bdd import scenarios

scenarios(".")
