"""What a planted defect is: one function of a plan, replaced at start-up."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal

Function = Callable[..., Any]
EVERYTHING = ("*",)
"""For `breaks`: a defect that leaves no VM working, so that every clause may fail."""
Component = Literal["vm", "virt", "sdn", "node"]


class Gone(Exception):
    """The function that a mutant replaces does not exist any more."""


@dataclass(frozen=True)
class Mutant:
    """One defect.

    Attributes:
        component: the one to be restarted with it.
        target: `<module>:<function>`; callers reach the function through its module.
        caught_by: the clause that has at least one scenario which must fail.
        breaks: every other clause that it may break, or EVERYTHING.
        defect: what is wrong, in one sentence.
        plant: makes the replacement, given the original.
    """

    name: str
    component: Component
    target: str
    caught_by: str
    defect: str
    plant: Callable[[Function], Function]
    breaks: tuple[str, ...] = ()

    def may_break(self, clauses: Collection[str]) -> bool:
        """Whether a scenario of these clauses may fail because of it."""
        return self.breaks == EVERYTHING or bool({self.caught_by, *self.breaks} & set(clauses))

    def original(self) -> Function:
        """The function that it replaces.

        Raises:
            Gone: there is no such function; nothing would be planted.
        """
        module, _, name = self.target.partition(":")
        try:
            found = getattr(importlib.import_module(module), name, None)
        except ModuleNotFoundError as error:
            raise Gone(f"mutant {self.name}: there is no module {module}: {error}") from error
        if not callable(found):
            raise Gone(
                f"mutant {self.name}: {module} has no function {name} any more;"
                " point the mutant at the one that took its place"
            )
        function: Function = found
        return function

    def apply(self) -> None:
        """Put the replacement in the original's place, in this process.

        Raises:
            Gone: the original is gone.
        """
        module, _, name = self.target.partition(":")
        replacement = self.plant(self.original())
        setattr(importlib.import_module(module), name, replacement)
