"""`python -m e2e.selftest.mutant NAME -- MODULE ARGUMENTS`: a component with a planted defect.

Plants the mutant NAME, then runs the component as `python -m MODULE ARGUMENTS` would. Exit code 64
where that cannot be done, so that a defect which is not there is never mistaken for one.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence

from e2e.selftest.mutants import MUTANTS, Gone

USAGE = 64


def main(argv: Sequence[str]) -> int:
    """Run the component; returns when it ends, or where nothing could be planted."""
    try:
        name, separator, component, *arguments = argv
    except ValueError:
        separator, name, component, arguments = "", "", "", []
    if separator != "--":
        print("usage: python -m e2e.selftest.mutant NAME -- MODULE [ARGUMENT]...", file=sys.stderr)
        return USAGE
    if name not in MUTANTS:
        known = ", ".join(MUTANTS)
        print(f"no mutant is called {name!r}; there are {known}", file=sys.stderr)
        return USAGE
    mutant = MUTANTS[name]
    if not component.endswith(f".{mutant.component}"):
        print(
            f"mutant {name} is one of {mutant.component}; {component} would run without a defect",
            file=sys.stderr,
        )
        return USAGE
    try:
        mutant.apply()
    except Gone as error:
        print(error, file=sys.stderr)
        return USAGE
    print(f"planted {name}: {mutant.defect}", file=sys.stderr, flush=True)
    sys.argv = [component, *arguments]
    runpy.run_module(component, run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
