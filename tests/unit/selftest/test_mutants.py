"""Every mutant has something to replace, and replaces it."""

from __future__ import annotations

import importlib

import pytest

from e2e.selftest import mutant as entry
from e2e.selftest.mutants import MUTANTS, Gone, Mutant
from e2e.selftest.mutants.mutant import Function


def plant_nothing(original: Function) -> Function:
    return original


def planted(target: str) -> Mutant:
    return Mutant("m", "vm", target, "HP-01", "a defect", lambda _: plant_nothing)


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_its_function_exists_and_is_replaced_by_another(mutant: Mutant) -> None:
    original = mutant.original()
    assert mutant.plant(original) is not original
    assert mutant.target.startswith(f"reference_controller.{mutant.component}.plan.")


@pytest.mark.parametrize("target", ["e2e.selftest.nowhere:f", "e2e.selftest.mutant:nothing"])
def test_a_mutant_without_its_function_is_loud(target: str) -> None:
    with pytest.raises(Gone, match="mutant m"):
        planted(target).apply()


def test_applying_puts_the_replacement_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("e2e.selftest.null_controller")
    # monkeypatch puts the original back.
    monkeypatch.setattr(module, "main", module.main)
    planted("e2e.selftest.null_controller:main").apply()
    assert module.main is plant_nothing


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["nothing-leaves", "reference_controller.vm"],
        ["no-such-mutant", "--", "reference_controller.vm"],
        ["nothing-leaves", "--", "reference_controller.sdn"],
    ],
)
def test_a_component_does_not_start_without_its_defect(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert entry.main(argv) == entry.USAGE
    assert capsys.readouterr().err
