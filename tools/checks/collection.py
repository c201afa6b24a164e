"""A pytest plugin: writes down what the bindings would run, and which step functions that takes.

Run by `check_steps` in a pytest of its own with `--collect-only`. It leans on semi-private parts of
pytest-bdd, hence the exact pin in pyproject.toml.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from pytest_bdd.scenario import find_fixturedefs_for_step
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry

from fixtures.conformance.collection import id_of, row_of, step_troubles, template_of


@dataclass(frozen=True)
class Collected:
    """What the bindings would run. Step functions are written `module.function`."""

    scenarios: list[str]
    """Ids, as the catalogue makes them."""
    troubles: list[str]
    """Undefined and ambiguous steps."""
    defined: list[str]
    used: list[str]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares where features are and where the findings go."""
    parser.addoption("--collection-features", type=Path, required=True)
    parser.addoption("--collection-out", type=Path, required=True)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Looks at what was collected."""
    features: Path = session.config.getoption("--collection-features")
    out: Path = session.config.getoption("--collection-out")
    collected = Collected(
        scenarios=[id_of(item, features) for item in session.items],
        troubles=list(dict.fromkeys(step_troubles(session.items))),
        defined=sorted(map(_name, step_function_context_registry.values())),
        used=sorted(set(_used(session.items))),
    )
    out.write_text(json.dumps(asdict(collected)), encoding="utf-8")


def _used(items: Iterable[pytest.Item]) -> Iterator[str]:
    for item in items:
        template = template_of(item)
        for step in template.render(row_of(item)).steps if template else ():
            manager = item.session._fixturemanager
            for definition in find_fixturedefs_for_step(step, manager, item):
                yield _name(step_function_context_registry[definition.func])


def _name(context: StepFunctionContext) -> str:
    return f"{context.step_func.__module__}.{context.step_func.__qualname__}"
