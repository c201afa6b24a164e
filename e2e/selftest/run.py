"""`plumbline selftest`: does the suite see what is wrong, and only that?

One environment for the baseline and all mutants, in which only the mutated component is restarted;
another one whose controller does nothing; and runs of tiny specifications with faults in them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol
from xml.etree import ElementTree

from e2e.selftest import judgement, parts, planting
from e2e.selftest.judgement import Outcome
from e2e.selftest.mutants import MUTANTS, Mutant
from e2e.selftest.planting import Control
from fixtures.conformance import catalogue, contract
from fixtures.conformance.request import ROOT

RESULT: Final = "selftest.json"
JUNIT: Final = "junit.xml"
WORKERS: Final = 4


class Environment(Protocol):
    """A running environment."""

    @property
    def description(self) -> Path:
        """The file that says how to use it."""
        ...

    @property
    def control(self) -> Control:
        """What it can be asked for."""
        ...


class Environments(Protocol):
    """Brings environments up, and down again."""

    def __call__(self, controller: str = "") -> AbstractContextManager[Environment]:
        """An environment with the reference, or with another command as its controller."""
        ...


class UnknownMutant(ValueError):
    """A mutant was asked for that does not exist: wrong usage."""


@dataclass(frozen=True)
class Request:
    """What a selftest is asked for.

    Attributes:
        mutants: names; empty for all of them, the baseline, the null controller and the faults.
        out: folder for the parts' runs and the result.
    """

    out: Path
    mutants: tuple[str, ...] = ()
    workers: int = WORKERS


@dataclass(frozen=True)
class Result:
    """What a selftest found.

    Attributes:
        unproved: clauses with scenarios that no mutant has been caught by; empty where only some
            mutants were asked for.
    """

    outcomes: tuple[Outcome, ...]
    unproved: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 where everything was as expected, else 1."""
        return int(bool(self.unproved) or not all(each.passed for each in self.outcomes))

    def as_json(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return {
            "passed": sum(each.passed for each in self.outcomes),
            "failed": sum(not each.passed for each in self.outcomes),
            "unprovedClauses": list(self.unproved),
            "outcomes": [each.as_json() for each in self.outcomes],
        }


def selftest(
    request: Request, environments: Environments, tell: Callable[[str], None] = print
) -> Result:
    """Run the selftest from the main thread; leaves selftest.json and junit.xml in the folder.

    Raises:
        UnknownMutant: a mutant does not exist.
        EnvironmentUnfit: an environment cannot be had, or cannot be mutated.
    """
    chosen = named(request.mutants)
    request.out.mkdir(parents=True, exist_ok=True)
    scenarios = catalogue.read(ROOT / "features", contract.load(ROOT / "features" / "contract"))
    shared = parts.Shared(scenarios.scenarios, request.out, request.workers, tell)
    outcomes = list(_told(_parts(request, chosen, environments, shared), tell))
    clauses = dict.fromkeys(c for each in scenarios.scenarios for c in each.clauses)
    unproved = () if request.mutants else judgement.unproved(clauses, outcomes)
    result = Result(tuple(outcomes), unproved)
    text = json.dumps(result.as_json(), indent=2)
    (request.out / RESULT).write_text(text + "\n", encoding="utf-8")
    junit(result).write(request.out / JUNIT, encoding="utf-8", xml_declaration=True)
    for line in table(result):
        tell(line)
    return result


def named(names: Sequence[str]) -> tuple[Mutant, ...]:
    """The mutants of these names, all of them where none is given.

    Raises:
        UnknownMutant: there is no such mutant.
        Gone: a mutant has nothing left to replace.
    """
    if unknown := [name for name in names if name not in MUTANTS]:
        known = ", ".join(MUTANTS)
        raise UnknownMutant(f"no mutant is called {', '.join(unknown)}; there are {known}")
    chosen = tuple(MUTANTS[name] for name in names or MUTANTS)
    for mutant in chosen:
        mutant.original()
    return chosen


def table(result: Result) -> Iterator[str]:
    """The result as lines of text; the last one counts."""
    width = max((len(each.name) for each in result.outcomes), default=0)
    for each in result.outcomes:
        mark = "ok    " if each.passed else "FAILED"
        yield f"{mark} {each.name:<{width}}  {each.clause:<5} {each.seconds:6.1f} s  {each.found}"
    for clause in result.unproved:
        yield f"FAILED {clause}: no mutant has been caught by it"
    body = result.as_json()
    yield f"{body['passed']} passed, {body['failed'] + len(result.unproved)} failed"


def junit(result: Result) -> ElementTree.ElementTree[ElementTree.Element]:
    """The result as JUnit XML: a case for each outcome and each clause that nothing has proved."""
    suite = ElementTree.Element("testsuite", name="selftest")
    for each in result.outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", classname="selftest", name=each.name, time=str(each.seconds)
        )
        if not each.passed:
            ElementTree.SubElement(case, "failure", message=f"{each.expected}: {each.found}")
    for clause in result.unproved:
        case = ElementTree.SubElement(suite, "testcase", classname="selftest", name=clause)
        ElementTree.SubElement(case, "failure", message="no mutant has been caught by it")
    failed = len(suite.findall("testcase/failure"))
    suite.attrib |= {"tests": str(len(suite)), "failures": str(failed)}
    return ElementTree.ElementTree(suite)


def _parts(
    request: Request, mutants: Sequence[Mutant], environments: Environments, shared: parts.Shared
) -> Iterator[Outcome]:
    with environments() as environment:
        if not request.mutants:
            yield parts.baseline(shared, environment.description)
        for mutant in mutants:
            yield parts.mutant(shared, environment.description, environment.control, mutant)
    if request.mutants:
        return
    with environments(" ".join(planting.NULL)) as environment:
        yield parts.null(shared, environment.description)
    yield from parts.faults(request.out)


def _told(outcomes: Iterator[Outcome], tell: Callable[[str], None]) -> Iterator[Outcome]:
    for each in outcomes:
        tell(f"{'ok' if each.passed else 'FAILED'}: {each.name}: {each.found}")
        yield each
