"""Only the mutated component is restarted, and it is put back in any case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from e2e.selftest import planting
from e2e.selftest.mutants import MUTANTS
from fixtures.errors import EnvironmentUnfit

MUTANT = MUTANTS["nothing-leaves"]
VM = ["{python}", "-m", "reference_controller.vm", "--kubeconfig", "{kubeconfig}"]


class FakeControl:
    """Remembers what was asked."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.components = {
            "vm": {"argv": list(argv), "starts": 1},
            "virt": {"argv": ["{python}", "-m", "reference_controller.virt"], "starts": 1},
        }
        self.asked: list[tuple[str, tuple[str, ...] | None]] = []

    def status(self) -> Mapping[str, Any]:
        return self.components

    def replace(self, component: str, argv: Sequence[str] | None = None) -> Mapping[str, Any]:
        self.asked.append((component, tuple(argv) if argv is not None else None))
        return self.components


def test_planted_and_put_back() -> None:
    control = FakeControl(VM)
    with planting.planted(control, MUTANT) as component:
        assert component.restarts() == 0
        control.components["vm"]["starts"] = 3
        assert component.restarts() == 2
    plant = ("{python}", "-m", "e2e.selftest.mutant", "nothing-leaves", "--", *VM[2:])
    assert control.asked == [("vm", plant), ("vm", None)]


def test_put_back_after_a_failure() -> None:
    control = FakeControl(VM)
    with pytest.raises(KeyboardInterrupt), planting.planted(control, MUTANT):
        raise KeyboardInterrupt
    assert control.asked[-1] == ("vm", None)


@pytest.mark.parametrize("argv", [["/bin/controller"], ["sh", "-c", "reference_controller.vm"]])
def test_a_foreign_controller_cannot_be_mutated(argv: list[str]) -> None:
    with pytest.raises(EnvironmentUnfit), planting.planted(FakeControl(argv), MUTANT):
        pass
