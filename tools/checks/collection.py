"""A pytest plugin: looks up every step of every collected scenario, and writes what it found.

Run by `check_steps` in a pytest of its own with `--collect-only --collection-out FILE`. It leans on
semi-private parts of pytest-bdd, hence the exact pin in pyproject.toml.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pytest_bdd.parser import ScenarioTemplate, Step
from pytest_bdd.scenario import find_fixturedefs_for_step, scenario_wrapper_template_registry
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry


@dataclass
class Collected:
    """What the bindings would run. Step functions are written `module.function`."""

    complaints: list[str] = field(default_factory=list)
    bound: list[list[str]] = field(default_factory=list)
    """Pairs of feature file (absolute) and scenario name."""
    defined: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares where the findings go."""
    parser.addoption("--collection-out", type=Path, required=True, help="JSON of what was found")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Looks at what was collected."""
    collected = Collected(
        defined=sorted(name_of(context) for context in step_function_context_registry.values())
    )
    used: set[str] = set()
    for item in session.items:
        template = _template(item)
        if template is None:
            continue
        path = str(Path(template.feature.filename).resolve())
        collected.bound.append([path, template.name])
        for step in template.render(_row(item)).steps:
            fitting = _fitting(step, session, item)
            used.update(fitting)
            if complaint := complaint_about(step.type, step.name, fitting):
                collected.complaints.append(f"{path}:{step.line_number}: {complaint}")
    collected.used = sorted(used)
    out: Path = session.config.getoption("--collection-out")
    out.write_text(json.dumps(asdict(collected)), encoding="utf-8")


def complaint_about(kind: str, text: str, fitting: list[str]) -> str | None:
    """What is wrong with a step that `fitting` functions could run, if anything."""
    if not fitting:
        return f"{kind.capitalize()} {text}: undefined step; define it in steps/"
    if len(fitting) > 1:
        functions = " and ".join(fitting)
        return f"{kind.capitalize()} {text}: ambiguous step, {functions} fit; tell them apart"
    return None


def name_of(context: StepFunctionContext) -> str:
    """A step function, as `module.function`."""
    return f"{context.step_func.__module__}.{context.step_func.__qualname__}"


def _template(item: pytest.Item) -> ScenarioTemplate | None:
    function: Callable[..., object] | None = getattr(item, "obj", None)
    return None if function is None else scenario_wrapper_template_registry.get(function)


def _row(item: pytest.Item) -> Mapping[str, object]:
    """The row of Examples that this item runs; empty for a plain scenario."""
    params: Mapping[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    row: Mapping[str, object] = params.get("_pytest_bdd_example", {})
    return row


def _fitting(step: Step, session: pytest.Session, item: pytest.Item) -> list[str]:
    definitions = find_fixturedefs_for_step(step, session._fixturemanager, item)
    return sorted(name_of(step_function_context_registry[one.func]) for one in definitions)
