"""Exit codes of command lines that end before anything is started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.cli import app
from fixtures.conformance.exits import Exit


@pytest.mark.parametrize(
    ("argv", "token"),
    [
        (["bogus"], "bogus"),
        (["run", "--frob"], "--frob"),
        (["run", "-n", "many"], "many"),
        (["run", "-n", "0"], "-n 0"),
        (["run", "--clause", "HP-1"], "HP-01"),
        (["run", "--profile", "cor"], "core"),
        (["run", "--level", "cores"], "core"),
        (["run", "--scenario", "x"], "'x'"),
        (["run", "--environment", "no-such-environment"], "no-such-environment"),
        (["run", "--environment", "none.toml"], "none.toml"),
        (["run", "--environment", "none.toml", "--controller", "sh"], "--controller"),
        (["run", "--controller", "sh {kubeconfg}"], "{kubeconfg}"),
        (["run", "--controller", "no-such-program"], "no-such-program"),
        (["run", "--webhooks", "none.yaml"], "none.yaml"),
        (["up", "--name", "Bad_"], "Bad_"),
        (["up", "--name", "embedded"], "embedded"),
        (["down", "--name", "no-such-environment"], "no-such-environment"),
        (["selftest", "--mutant", "no-such-mutant"], "no-such-mutant"),
    ],
)
def test_wrong_usage(argv: list[str], token: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.call(argv) == Exit.USAGE
    assert token in capfd.readouterr().err


def test_an_existing_file_is_never_overwritten(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "config"
    mine.write_text("current-context: production\n")
    assert app.call(["up", "--name", "x", "--kubeconfig", str(mine)]) == Exit.USAGE
    assert str(mine) in capfd.readouterr().err
    assert mine.read_text() == "current-context: production\n"


def test_an_unusable_description_is_an_unfit_environment(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("schema = 1\n")
    assert app.call(["run", "--environment", str(bad)]) == Exit.ENVIRONMENT_UNFIT
    assert "bad.toml" in capfd.readouterr().err


def test_list_json_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.call(["list", "--json"]) == Exit.CONFORMANT
    listing = json.loads(capsys.readouterr().out)
    assert {"id", "level", "text", "scenarios", "mutants"} == set(listing["clauses"][0])
    assert {"id", "feature", "name", "tags"} == set(listing["scenarios"][0])
    by_id = {clause["id"]: clause for clause in listing["clauses"]}
    assert by_id["HP-01"]["scenarios"]
    assert by_id["HP-01"]["mutants"]
