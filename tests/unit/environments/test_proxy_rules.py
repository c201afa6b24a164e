"""The proxy's table of faults."""

from __future__ import annotations

from typing import Any

import pytest

from e2e.environments.embedded import proxy_rules
from e2e.environments.embedded.proxy_rules import Rule, Rules

PATH = "/apis/network.deckhouse.io/v1alpha1/networks?watch=true"


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ({}, True),
        ({"component": "vm"}, True),
        ({"component": "v"}, False),
        ({"method": "GET|PATCH"}, True),
        ({"method": "POST"}, False),
        ({"path": "/networks"}, True),
        ({"path": "/pods"}, False),
    ],
)
def test_which_requests_a_rule_fits(rule: dict[str, Any], fits: bool) -> None:
    assert Rule(id="r", **rule).fits("vm", "GET", PATH) is fits


def test_a_rule_hits_as_often_as_it_says() -> None:
    rules = Rules()
    rules.add(Rule(id="twice", times=2, status=500))
    hits = [rules.hit("vm", "GET", PATH) is not None for _ in range(3)]
    assert hits == [True, True, False]


def test_the_first_rule_that_fits_decides() -> None:
    rules = Rules()
    rules.add(Rule(id="a", method="POST"))
    rules.add(Rule(id="b"))
    rules.add(Rule(id="c"))
    hit = rules.hit("vm", "GET", PATH)
    assert hit is not None
    assert hit.rule.id == "b"


def test_what_is_held_is_let_go_with_its_rule() -> None:
    rules = Rules()
    rules.add(Rule(id="a", hold=True))
    hit = rules.hit("vm", "GET", PATH)
    assert hit is not None
    assert not hit.released.is_set()
    assert rules.remove("a")
    assert hit.released.is_set()
    assert not rules.remove("a")


def test_adding_an_id_again_replaces_its_rule() -> None:
    rules = Rules()
    rules.add(Rule(id="a", status=500))
    rules.add(Rule(id="a", status=503))
    assert [rule.status for rule in rules] == [503]


def test_messages() -> None:
    rules = Rules()
    added = proxy_rules.change(rules, {"do": "add", "rule": {"id": "a", "status": 500}})
    assert [rule["id"] for rule in added["rules"]] == ["a"]
    assert proxy_rules.change(rules, {"do": "list"}) == added
    assert proxy_rules.change(rules, {"do": "remove", "id": "a"}) == {"rules": []}
    proxy_rules.change(rules, {"do": "add", "rule": {"id": "b"}})
    assert proxy_rules.change(rules, {"do": "clear"}) == {"rules": []}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": "explode"},
        {"do": "add"},
        {"do": "add", "rule": {}},
        {"do": "add", "rule": {"id": "a", "colour": "red"}},
        {"do": "add", "rule": {"id": "a", "path": "("}},
        {"do": "remove", "id": "unknown"},
    ],
)
def test_messages_that_make_no_sense(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        proxy_rules.change(Rules(), message)
