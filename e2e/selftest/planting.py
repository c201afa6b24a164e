"""Starting a component of a running environment with a defect, and as it was again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

from e2e.selftest.mutants import Mutant
from fixtures.errors import EnvironmentUnfit

MODULE_FLAG: Final = ("{python}", "-m")
NULL: Final = (*MODULE_FLAG, "e2e.selftest.null_controller")


class Control(Protocol):
    """What a running environment can be asked for."""

    def status(self) -> Mapping[str, Any]:
        """State of each component by name, with `argv` and `starts`."""
        ...

    def replace(self, component: str, argv: Sequence[str] | None = None) -> Mapping[str, Any]:
        """Restart a component with another command; None for its own."""
        ...


class Planted:
    """Components that run with a defect."""

    def __init__(self, control: Control, names: Sequence[str]) -> None:
        self._control = control
        self._names = tuple(names)
        self._starts = self._count()

    def restarts(self) -> int:
        """How often they have come back since."""
        return self._count() - self._starts

    def _count(self) -> int:
        status = self._control.status()
        return sum(int(status[name]["starts"]) for name in self._names)


def command(mutant: Mutant, argv: Sequence[str]) -> tuple[str, ...]:
    """The command line of a component, `{python} -m MODULE ...`, with the mutant planted.

    Raises:
        EnvironmentUnfit: the component is not started as a module.
    """
    if tuple(argv[:2]) != MODULE_FLAG:
        raise EnvironmentUnfit(
            f"the component {mutant.component} is started as `{' '.join(argv)}`, not as a module of"
            " the reference; mutants can be planted in the reference only"
        )
    return (*MODULE_FLAG, "e2e.selftest.mutant", mutant.name, "--", *argv[2:])


@contextmanager
def planted(control: Control, mutant: Mutant) -> Iterator[Planted]:
    """The environment with the mutant, and as it was afterwards."""
    module = f"reference_controller.{mutant.component}"
    before = control.status()
    names = [name for name in before if module in before[name]["argv"]]
    if not names:
        raise EnvironmentUnfit(f"no component of the environment runs {module}")
    try:
        for name in names:
            control.replace(name, command(mutant, before[name]["argv"]))
        yield Planted(control, names)
    finally:
        for name in names:
            control.replace(name)
