"""What the proxy does to requests on purpose: a table of rules, changed while it runs.

The first rule that fits decides. A rule with `times` fits so often and then no more.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pydantic


class Rule(pydantic.BaseModel):
    """One fault, and which requests get it.

    Attributes:
        component: regular expression for the whole name of the component.
        method: regular expression for the whole HTTP method.
        path: regular expression searched in path and query.
        times: how often; for ever when absent.
        delay: seconds before anything else happens.
        hold: keep the request until the rule is taken away.
        status: answer with this HTTP status instead of asking the API server; 0 for asking it.
        cut: close the connection without an answer.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    id: str = pydantic.Field(min_length=1)
    component: str = ".*"
    method: str = ".*"
    path: str = ""
    times: int | None = pydantic.Field(default=None, ge=1)
    delay: float = pydantic.Field(default=0.0, ge=0.0, le=600.0)
    hold: bool = False
    status: int = pydantic.Field(default=0, ge=0, le=599)
    cut: bool = False

    @pydantic.field_validator("component", "method", "path")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"no regular expression: {error}") from error
        return value

    def fits(self, component: str, method: str, path: str) -> bool:
        """Whether a request gets this fault."""
        return bool(
            re.fullmatch(self.component, component)
            and re.fullmatch(self.method, method)
            and re.search(self.path, path)
        )


@dataclass
class _Entry:
    rule: Rule
    left: int | None
    removed: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True)
class Fault:
    """A rule that has hit a request; `released` is set when the rule is taken away."""

    rule: Rule
    released: asyncio.Event


class Rules:
    """The table. Adding a rule under an id that exists replaces that rule."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def __iter__(self) -> Iterator[Rule]:
        return (entry.rule for entry in self._entries.values())

    def add(self, rule: Rule) -> None:
        self.remove(rule.id)
        self._entries[rule.id] = _Entry(rule, rule.times)

    def remove(self, rule_id: str) -> bool:
        """Takes a rule away and lets go what it holds; False where there was none."""
        entry = self._entries.pop(rule_id, None)
        if entry is None:
            return False
        entry.removed.set()
        return True

    def clear(self) -> None:
        for rule_id in list(self._entries):
            self.remove(rule_id)

    def hit(self, component: str, method: str, path: str) -> Fault | None:
        """The fault for a request; counts it."""
        for entry in self._entries.values():
            if entry.left == 0 or not entry.rule.fits(component, method, path):
                continue
            if entry.left is not None:
                entry.left -= 1
            return Fault(entry.rule, entry.removed)
        return None


def change(rules: Rules, request: dict[str, Any]) -> dict[str, Any]:
    """Does what a message on the proxy's socket asks for.

    Messages: {"do": "add", "rule": {...}}, {"do": "remove", "id": ...}, {"do": "clear"},
    {"do": "list"}.

    Raises:
        ValueError: any other message.
    """
    match request:
        case {"do": "add", "rule": dict(raw)}:
            rules.add(Rule.model_validate(raw))
        case {"do": "remove", "id": str(rule_id)}:
            if not rules.remove(rule_id):
                raise ValueError(f"no rule {rule_id!r}")
        case {"do": "clear"}:
            rules.clear()
        case {"do": "list"}:
            pass
        case _:
            raise ValueError("ask for add with a rule, remove with an id, clear, or list")
    return {"rules": [rule.model_dump() for rule in rules]}
