"""A tiny specification with its steps, without any cluster, in which faults are planted."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0

CLAUSES = """
clauses:
  - {id: AA-01, level: core, text: one}
  - {id: AA-02, level: core, text: two}
  - {id: AA-03, level: extended, feature: Slots, text: three}
  - {id: AA-04, level: provisional, text: four}
"""
PROFILES = """
profiles:
  - {name: all, meaning: everything, levels: [core, robust, extended, provisional]}
  - {name: core, meaning: a part, levels: [core]}
  - name: upstream
    meaning: with a known difference
    levels: [core]
    known_different: [{clause: AA-02, reason: upstream decided otherwise}]
"""
DESCRIPTION = """
schema = 1
name = "planted"
implementation = "nothing 1.0"
kubeconfig = "nowhere"
features = []
[virtual_machine]
template = "nowhere"
[network]
cluster_network = "nowhere"
network = "nowhere"
[guest]
user = "root"
private_key = "nowhere"
proxy_command = ["false"]
"""
STEPS = """
import os
import signal

import pytest
from pytest_bdd import given, parsers, then, when

from fixtures import errors


@given("all is well")
def all_is_well():
    pass


@then("nothing happens")
def nothing_happens():
    pass


@then(parsers.parse('it raises "{name}"'))
def it_raises(name):
    raise getattr(errors, name, None)("planted")


@then("it asserts")
def it_asserts():
    assert 1 == 2


@then("it skips")
def it_skips():
    pytest.skip("planted")


@then("its process is killed")
def its_process_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)
"""
DRIVER = """
import json, sys
from pathlib import Path
from fixtures.conformance.passes import RunRequest, run

settings = json.loads(sys.argv[1])
folder = Path(settings.pop("folder"))
settings = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}
request = RunRequest(
    out=folder / "out",
    environment=folder / "environment.toml",
    bindings=folder / "bindings",
    features=folder / "features",
    contract=folder / "contract",
    plugins=("fixtures.conformance.plugin",),
    preflight=lambda description: None,
    **settings,
)
sys.exit(run(request, tell=lambda line: print(line, flush=True)).exitCode)
"""


@dataclass(frozen=True)
class Outcome:
    """What a run left."""

    status: int
    output: str
    report: dict[str, Any]

    def verdicts(self) -> dict[str, str]:
        """Verdicts by the end of the scenarios' ids."""
        found = self.report["scenarios"]
        return {scenario["id"].partition(":")[2]: scenario["verdict"] for scenario in found}

    def clauses(self) -> dict[str, str]:
        """Verdicts by clause."""
        return {clause: found["verdict"] for clause, found in self.report["clauses"].items()}


@dataclass
class Planted:
    """A specification in a folder of its own."""

    folder: Path
    scenarios: list[str] = field(default_factory=list)

    def scenario(self, name: str, *steps: str, tags: str = "@core @AA-01") -> None:
        """Add a scenario to the only feature."""
        lines = "".join(f"\n    {step}" for step in steps)
        self.scenarios.append(f"\n  {tags}\n  Scenario: {name}{lines}\n")

    def write(self, path: str, text: str) -> None:
        """Write a file below the folder."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")

    def steps(self, more: str) -> None:
        """Define more steps or fixtures."""
        self.write("bindings/conftest.py", STEPS + textwrap.dedent(more))

    def start(self, **settings: Any) -> subprocess.Popen[str]:
        """Start a run with these attributes of its request; by default without the check."""
        if self.scenarios:
            text = "Feature: Planted\n" + "".join(self.scenarios)
            self.write("features/area/planted.feature", text)
        settings = {"check": False, "folder": str(self.folder), **settings}
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, json.dumps(settings)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def outcome(self, process: subprocess.Popen[str]) -> Outcome:
        """Wait for the end of a run."""
        output, _ = process.communicate(timeout=PATIENCE)
        path = self.folder / "out" / "report.json"
        assert path.exists(), output
        return Outcome(process.returncode, output, json.loads(path.read_text(encoding="utf-8")))

    def run(self, **settings: Any) -> Outcome:
        """Run to the end."""
        return self.outcome(self.start(**settings))


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    """An empty specification with some steps."""
    made = Planted(tmp_path)
    made.write("contract/clauses.yaml", CLAUSES)
    made.write("contract/profiles.yaml", PROFILES)
    made.write("environment.toml", DESCRIPTION)
    made.write("bindings/test_area.py", 'from pytest_bdd import scenarios\n\nscenarios("area")\n')
    made.steps("")
    return made
