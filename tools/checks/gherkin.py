"""The feature files as Gherkin documents: every scenario, also those that pytest-bdd would lose.

pytest-bdd keeps scenarios in a dictionary by name, so a second one of the same name vanishes there;
this reads the document beneath, through pytest-bdd's own parser (pinned in pyproject.toml).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_bdd.exceptions import GherkinParseError
from pytest_bdd.gherkin_parser import Child, Tag, get_gherkin_document


class FeatureUnreadable(Exception):
    """A feature file is not Gherkin; the message says where."""


@dataclass(frozen=True)
class Scenario:
    """A scenario or outline as written."""

    path: Path
    line: int
    name: str
    tags: frozenset[str]
    """Its own, those of its examples, its rule and its feature, without the @."""
    steps: int

    def __str__(self) -> str:
        return f'{self.path}:{self.line}: scenario "{self.name}"'


def read(path: Path) -> list[Scenario]:
    """The scenarios of one file in order.

    Raises:
        FeatureUnreadable: the file cannot be parsed, or holds no scenario.
    """
    try:
        feature = get_gherkin_document(str(path)).feature
    except GherkinParseError as exc:
        raise FeatureUnreadable(f"{path}:{exc.line}: {exc.message}") from exc
    except KeyError as exc:
        # What the parser makes of a file without any feature.
        raise FeatureUnreadable(f"{path}: holds no feature; delete it or write one") from exc
    scenarios = list(_scenarios(path, feature.children, _names(feature.tags)))
    if not scenarios:
        raise FeatureUnreadable(f"{path}: holds no scenario; delete it or write one")
    return scenarios


def read_all(folder: Path) -> list[Scenario]:
    """The scenarios of all feature files under `folder`, ordered by path."""
    return [found for path in sorted(folder.rglob("*.feature")) for found in read(path)]


def _scenarios(path: Path, children: list[Child], tags: frozenset[str]) -> Iterator[Scenario]:
    for child in children:
        if child.rule is not None:
            yield from _scenarios(path, child.rule.children, tags | _names(child.rule.tags))
        if (found := child.scenario) is not None:
            examples = (_names(table.tags) for table in found.examples)
            yield Scenario(
                path=path,
                line=found.location.line,
                name=found.name,
                tags=tags.union(_names(found.tags), *examples),
                steps=len(found.steps),
            )


def _names(tags: list[Tag]) -> frozenset[str]:
    return frozenset(tag.name.removeprefix("@") for tag in tags)
