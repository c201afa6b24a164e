"""The planted defects, by name; docs/explanation/selftest.md says how to write one."""

from __future__ import annotations

from typing import Final

from e2e.selftest.mutants import addresses, asking, main_network, plugging, unplugging
from e2e.selftest.mutants.mutant import Gone, Mutant

__all__ = ["MUTANTS", "Gone", "Mutant"]

_ALL: Final = (
    *plugging.MUTANTS,
    *asking.MUTANTS,
    *unplugging.MUTANTS,
    *main_network.MUTANTS,
    *addresses.MUTANTS,
)
MUTANTS: Final = {mutant.name: mutant for mutant in _ALL}
if len(MUTANTS) != len(_ALL):
    raise ValueError("two mutants have one name; rename one in e2e/selftest/mutants")
