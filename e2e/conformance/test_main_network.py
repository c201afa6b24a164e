"""Binds the scenarios of features/main_network."""

from __future__ import annotations

from pytest_bdd import scenarios

scenarios("main_network")
