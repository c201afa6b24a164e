"""Adds up what a CI run counted, from files that its parts wrote: `N passed, N failed`.

`python -m tools.checks.totals NAME=FILE ...`, where FILE is a JUnit report (.xml) or a report.json
of the suite. A file that is missing or holds no result counts as one failure: a part that did not
run proves nothing.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree


@dataclass(frozen=True)
class Totals:
    """How many results were good and how many were not."""

    passed: int = 0
    failed: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.passed + other.passed, self.failed + other.failed)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed"


class NothingCounted(Exception):
    """A file holds no result."""


def of_junit(text: str) -> Totals:
    """Counts test cases; one that failed in its call and its teardown counts once."""
    cases = ElementTree.fromstring(text).findall(".//testcase")
    bad = sum(
        1 for case in cases if case.find("failure") is not None or case.find("error") is not None
    )
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    return Totals(len(cases) - bad - skipped, bad)


def of_report(text: str) -> Totals:
    """Counts the scenarios of a report.json; only `passed` is good, and `not-run` is neither."""
    report: dict[str, Any] = json.loads(text)
    verdicts = [scenario["verdict"] for scenario in report["scenarios"]]
    neutral = verdicts.count("not-run") + verdicts.count("not-supported")
    passed = verdicts.count("passed")
    return Totals(passed, len(verdicts) - passed - neutral)


def count(path: Path) -> Totals:
    """Counts one file.

    Raises:
        NothingCounted: it is missing, malformed, or empty of results.
    """
    try:
        text = path.read_text(encoding="utf-8")
        totals = of_junit(text) if path.suffix == ".xml" else of_report(text)
    except (OSError, ElementTree.ParseError, ValueError, KeyError, TypeError) as exc:
        raise NothingCounted(f"{path} holds no results: {exc!r}") from exc
    if totals == Totals():
        raise NothingCounted(f"{path} holds no results: nothing was executed")
    return totals


def main(arguments: Sequence[str]) -> int:
    """Prints each part and, as the last line, the sum; exits 1 when anything failed."""
    total = Totals()
    for argument in arguments:
        name, _, path = argument.partition("=")
        try:
            part = count(Path(path))
            print(f"{name}: {part}")
        except NothingCounted as exc:
            part = Totals(failed=1)
            print(f"{name}: {exc}")
        total += part
    print(total)
    return int(total.failed > 0 or total.passed == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
