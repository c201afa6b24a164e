"""Defects in changes that wait for a restart: MN-01, MN-02, MN-03."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from e2e.selftest.mutants.mutant import Function, Mutant
from reference_controller.api import networks

STATUS: Final = "reference_controller.vm.plan.status"


def _main_changes_live(original: Function) -> Function:
    def networks_action(old: Any, new: Any) -> Any:
        action = original(old, new)
        return "ApplyImmediate" if action == "Restart" else action

    return networks_action


def _changes_are_not_listed(original: Function) -> Function:
    def target(world: Any, facts: Any) -> Any:
        return {**original(world, facts), "restartAwaitingChanges": None}

    return target


def _main_is_reported_early(original: Function) -> Function:
    def network_entries(world: Any, facts: Any) -> Any:
        entries = original(world, facts)
        there = any(entry["type"] == networks.MAIN for entry in entries)
        if there or not networks.has_main(world.vm.spec.networks):
            return entries
        return [{"id": networks.MAIN_ID, "type": networks.MAIN}, *entries]

    return network_entries


def _changes_stay_listed(original: Function) -> Function:
    def target(world: Any, facts: Any) -> Any:
        found = original(world, facts)
        stored = world.vm.raw.get("status", {}).get("restartAwaitingChanges")
        return {**found, "restartAwaitingChanges": found["restartAwaitingChanges"] or stored}

    return target


def _a_restart_applies_nothing(original: Function) -> Function:
    def decide(world: Any, spec: Any) -> Any:
        found = original(world, spec)
        if world.internal is None:
            return found
        nics = world.internal.interfaces
        had_main = any(nic.name == "default" for nic in nics)
        return dataclasses.replace(found, main=had_main)

    return decide


MUTANTS: Final = (
    Mutant(
        "main-changes-live",
        "vm",
        "reference_controller.vm.plan.comparator:networks_action",
        "MN-01",
        "a change of Main is applied to the running VM at once",
        _main_changes_live,
        ("MN-02", "MN-03"),
    ),
    Mutant(
        "changes-are-not-listed",
        "vm",
        f"{STATUS}:target",
        "MN-01",
        "what waits for a restart is not listed",
        _changes_are_not_listed,
        ("MN-02",),
    ),
    Mutant(
        "main-is-reported-early",
        "vm",
        f"{STATUS}:network_entries",
        "MN-02",
        "Main is reported as soon as it is asked for",
        _main_is_reported_early,
    ),
    Mutant(
        "changes-stay-listed",
        "vm",
        f"{STATUS}:target",
        "MN-03",
        "what waited for a restart is listed after it, too",
        _changes_stay_listed,
    ),
    Mutant(
        "a-restart-applies-nothing",
        "vm",
        "reference_controller.vm.plan.interfaces:decide",
        "MN-03",
        "the Main interface after a restart is that of before",
        _a_restart_applies_nothing,
    ),
)
