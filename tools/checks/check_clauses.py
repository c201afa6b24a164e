"""Every clause that a scenario claims has a mutant that breaks it, and every mutant can be planted.

A scenario that no planted defect can fail proves nothing, however green. That scenarios claim
clauses which exist is checked with the feature files, by `check_steps`.
"""

import sys
from collections.abc import Collection, Mapping, Sequence

from e2e.selftest.mutants import MUTANTS, Gone, Mutant
from e2e.selftest.mutants.mutant import EVERYTHING
from fixtures.conformance import contract
from fixtures.conformance.catalogue import Scenario
from tools.checks.check_steps import FEATURES, read


def check(
    scenarios: Sequence[Scenario], clauses: Collection[str], mutants: Mapping[str, Mutant]
) -> list[str]:
    """All complaints about scenarios, the ids of the contract's clauses, and mutants by name."""
    for kind, things in (("scenario", scenarios), ("clause", clauses), ("mutant", mutants)):
        if not things:
            return [f"no {kind} found; there is nothing to check"]
    claims = {clause: one for one in scenarios for clause in one.clauses}
    caught = {mutant.caught_by for mutant in mutants.values()}
    complaints = [
        f'{clause}: claimed by "{claims[clause].name}" of {claims[clause].feature}, but no mutant '
        "breaks it; plant one in e2e/selftest"
        for clause in sorted(claims.keys() - caught)
    ]
    for name, mutant in mutants.items():
        if mutant.caught_by not in claims:
            complaints.append(f"mutant {name}: no scenario claims {mutant.caught_by} to catch it")
        complaints += [
            f"mutant {name}: may break {clause}, which no clause is called; correct the id"
            for clause in mutant.breaks
            if clause not in {*clauses, *EVERYTHING}
        ]
        try:
            mutant.original()
        except Gone as exc:
            complaints.append(f"mutant {name}: {exc}")
    return complaints


if __name__ == "__main__":
    known = contract.load(FEATURES / "contract").clauses
    found = check(read(FEATURES).scenarios, known, MUTANTS)
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
