"""Defects in the address of Main and its objects: VI-01, VI-05."""

from __future__ import annotations

import dataclasses
import ipaddress
from typing import Any, Final

from e2e.selftest.mutants.mutant import EVERYTHING, Function, Mutant

MAIN_ADDRESSES: Final = "reference_controller.vm.plan.main_addresses"


def _the_neighbours_address(original: Function) -> Function:
    def decide(world: Any, spec: Any) -> Any:
        main = original(world, spec)
        if not main.address:
            return main
        # Everybody's moves by as much, so that guests still answer where their VMs say.
        moved = ipaddress.IPv4Address(main.address) + 128
        return dataclasses.replace(main, address=str(moved))

    return decide


def _the_next_range(original: Function) -> Function:
    def usable(cidr: ipaddress.IPv4Network) -> Any:
        behind = int(cidr.broadcast_address) + 1
        return original(ipaddress.IPv4Network((behind, cidr.prefixlen)))

    return usable


def _taken_is_free(original: Function) -> Function:
    return lambda settings, _: original(settings, frozenset())


MUTANTS: Final = (
    Mutant(
        "the-neighbours-address",
        "vm",
        "reference_controller.vm.plan.addresses:decide",
        "VI-05",
        "the VM is given, and reports, another address than its address object has",
        _the_neighbours_address,
    ),
    Mutant(
        "the-next-range",
        "vm",
        f"{MAIN_ADDRESSES}:usable",
        "VI-01",
        "addresses are taken from behind the configured range",
        _the_next_range,
    ),
    Mutant(
        "taken-is-free",
        "vm",
        f"{MAIN_ADDRESSES}:lowest_free",
        "VI-01",
        "the lowest address is chosen although somebody has it, so only one VM ever starts",
        _taken_is_free,
        EVERYTHING,
    ),
)
