"""Scenarios name clauses that exist, and every clause they claim has a mutant that breaks it.

A scenario that no planted defect can fail proves nothing, however green.
"""

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from tools.checks.gherkin import FeatureUnreadable, Scenario, read_all

FEATURES = Path("features")
CLAUSE_TAG = re.compile(r"[A-Za-z]+-\d+")
"""What looks like a clause; a misspelt one still does."""


def claimed(scenarios: Iterable[Scenario]) -> dict[str, list[Scenario]]:
    """The scenarios that claim each clause, by the clause's tag."""
    found: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        for tag in sorted(scenario.tags):
            if CLAUSE_TAG.fullmatch(tag):
                found.setdefault(tag, []).append(scenario)
    return found


def check(
    scenarios: Sequence[Scenario], clauses: Collection[str], mutants: Mapping[str, Iterable[str]]
) -> list[str]:
    """All complaints.

    Args:
        scenarios: of every feature file.
        clauses: the ids of the contract.
        mutants: the clauses that each mutant must break, by its name.
    """
    for kind, things in (("scenario", scenarios), ("clause", clauses), ("mutant", mutants)):
        if not things:
            return [f"no {kind} found; there is nothing to check"]
    claims = claimed(scenarios)
    complaints = [
        f"{scenario}: claims {tag}, which no clause is called; correct the tag"
        for tag, ones in claims.items()
        if tag not in clauses
        for scenario in ones
    ]
    complaints += [
        f"{scenario}: claims no clause; tag it with the one it proves"
        for scenario in scenarios
        if not any(CLAUSE_TAG.fullmatch(tag) for tag in scenario.tags)
    ]
    broken = {clause for ones in mutants.values() for clause in ones}
    complaints += [
        f"{tag}: claimed by {claims[tag][0]}, but no mutant breaks it; plant one in e2e/selftest"
        for tag in sorted(claims.keys() & set(clauses) - broken)
    ]
    for name, ones in mutants.items():
        complaints += [
            f"mutant {name}: breaks {clause}, which no scenario claims; correct it"
            for clause in ones
            if clause not in claims
        ]
    return complaints
