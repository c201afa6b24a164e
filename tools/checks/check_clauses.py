"""Every clause that a scenario claims has a mutant that breaks it.

A scenario that no planted defect can fail proves nothing, however green. That scenarios claim
clauses which exist is checked with the feature files, by `check_steps`.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence

from fixtures.conformance.catalogue import Scenario
from tools.checks.check_steps import FEATURES, read


def check(scenarios: Sequence[Scenario], mutants: Mapping[str, Iterable[str]]) -> list[str]:
    """All complaints about `scenarios` and the clauses that each mutant must break, by its name."""
    for kind, things in (("scenario", scenarios), ("mutant", mutants)):
        if not things:
            return [f"no {kind} found; there is nothing to check"]
    claims = {clause: one for one in scenarios for clause in one.clauses}
    broken = {clause for clauses in mutants.values() for clause in clauses}
    complaints = [
        f'{clause}: claimed by "{claims[clause].name}" of {claims[clause].feature}, but no mutant '
        "breaks it; plant one in e2e/selftest"
        for clause in sorted(claims.keys() - broken)
    ]
    complaints += [
        f"mutant {name}: breaks {clause}, which no scenario claims; correct it"
        for name, clauses in mutants.items()
        for clause in clauses
        if clause not in claims
    ]
    return complaints
