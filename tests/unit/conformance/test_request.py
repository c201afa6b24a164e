"""What is known of a run before anything is executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures.cluster.description import Description
from fixtures.conformance import account as accounts
from fixtures.conformance import plan, request, selection
from fixtures.conformance.catalogue import Catalogue, Scenario
from fixtures.conformance.contract import Clause, Contract, KnownDifference, Profile
from fixtures.conformance.request import RunRequest
from fixtures.errors import EnvironmentUnfit

CONTRACT = Contract(
    {
        "AA-01": Clause(id="AA-01", level="core", text="t"),
        "AA-02": Clause(id="AA-02", level="extended", feature="Slots", text="t"),
    },
    {
        "all": Profile(
            name="all",
            meaning="m",
            levels=("core", "extended"),
            known_different=(KnownDifference(clause="AA-01", reason="so"),),
        )
    },
)
CATALOGUE = Catalogue(
    (
        Scenario("a:one", "a.feature", "one", "", 1, ("AA-01",), ("AA-01",), 3),
        Scenario("a:two", "a.feature", "two", "", 5, ("AA-02",), ("AA-02",), 1),
        Scenario("a:three", "a.feature", "three", "", 9, ("AA-01",), ("AA-01",), 1),
        Scenario("a:foreign", "a.feature", "foreign", "", 13, (), (), 1),
    )
)


def description(kubeconfig: Path) -> Description:
    body: dict[str, Any] = {
        "schema": 1,
        "name": "e",
        "implementation": "i",
        "kubeconfig": kubeconfig,
        "virtual_machine": {"template": "t"},
        "network": {"cluster_network": "c", "network": "n"},
        "guest": {"user": "u", "private_key": "k", "proxy_command": ["p"]},
    }
    return Description.model_validate(body)


def test_the_head_of_the_journal_holds_the_whole_plan(tmp_path: Path) -> None:
    asked = RunRequest(out=tmp_path, environment=tmp_path, scenarios=("a:one", "a:two"))
    choice = selection.choose(CATALOGUE, CONTRACT, asked.selection, selection.Abilities())
    head = request.head(asked, description(tmp_path), CONTRACT, CATALOGUE, choice)
    told = json.loads(json.dumps({"kind": "run", "wall": 1.0, **head}))
    account = accounts.read([told])
    assert {name: planned.fate for name, planned in account.plan.items()} == {
        "a:one": "selected",
        "a:two": "unsupported",
        "a:three": "filtered",
    }
    assert account.plan["a:one"].steps == 3
    assert account.plan["a:two"].reason == "the implementation does not claim Slots"
    assert account.clauses["AA-01"].difference == "so"
    assert (account.clauses["AA-01"].claimed, account.clauses["AA-02"].claimed) == (True, False)
    assert head["version"] == request.version()


def test_the_rooms_bring_their_plugins() -> None:
    found = request.plugins()
    assert {"fixtures.conformance.plugin", "fixtures.evidence.plugin", "steps.plugin"} <= set(found)


def test_a_plan_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = plan.Plan("f", "c", ("a",), ("b", "c"), keep_failed=True)
    written.write(tmp_path)
    assert plan.read(tmp_path) == written
    assert [written.of(name) for name in plan.PASSES] == [(), ("a",), ("b", "c")]


def test_a_cluster_that_does_not_answer_is_unfit(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    cluster = {"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    body = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [cluster],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [context],
        "current-context": "x",
    }
    kubeconfig.write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(EnvironmentUnfit, match="cannot be used"):
        request.reachable(description(kubeconfig))


def test_a_kubeconfig_that_is_not_there_is_unfit(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnfit, match="nowhere"):
        request.reachable(description(tmp_path / "nowhere"))
