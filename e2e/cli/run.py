"""`plumbline run`: executes scenarios in an environment and judges the implementation there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from e2e.cli import progress, usage
from e2e.cli.listing import console
from e2e.cli.usage import EMBEDDED, UsageError
from e2e.environments import launch, preflight, running
from e2e.environments.embedded.trouble import how
from e2e.environments.launch import Launched
from fixtures.conformance import catalogue, contract, passes, table
from fixtures.conformance.contract import LEVELS, Contract
from fixtures.conformance.exits import Exit
from fixtures.conformance.request import ROOT, RunRequest
from fixtures.errors import EnvironmentUnfit

Many = Annotated[tuple[str, ...], Parameter(negative=())]
CONTRACT = ROOT / "features" / "contract"


@dataclass(frozen=True)
class Place:
    """Where a run happens; `launched` is set where the environment is the run's own."""

    description: Path
    launched: Launched | None = None


def run(
    *,
    environment: str = EMBEDDED,
    profile: str = "all",
    level: Many = (),
    clause: Many = (),
    scenario: Many = (),
    workers: Annotated[int, Parameter(name=["-n", "--workers"])] = 1,
    out: Path = Path("results/run"),
    keep_failed: bool = False,
    controller: str = "",
    webhooks: Annotated[Path | None, Parameter(name="--webhooks")] = None,
) -> int:
    """Run scenarios and report which clauses the implementation keeps.

    Parameters
    ----------
    environment
        `embedded` for a fresh one, the name of a running one, or the path of a description (TOML).
    profile
        The claim to judge.
    level
        Narrow the profile to this level; may be repeated.
    clause
        Run only scenarios of this clause; may be repeated.
    scenario
        Run only this scenario, by its id; may be repeated.
    workers
        How many scenarios run side by side.
    out
        Folder for report.json, junit.xml, journal.jsonl and evidence.
    keep_failed
        Leave the namespaces of failed scenarios in place, and the environment with them.
    controller
        Command to start instead of the reference controller; may hold {kubeconfig}, {cert_dir},
        {webhook_port}, {python}.
    webhooks
        Manifest of that controller's admission webhooks.
    """
    promises = contract.load(CONTRACT)
    _require(promises, profile, level, clause, scenario)
    if workers < 1:
        raise UsageError(f"-n {workers}: at least one worker is needed")
    if environment != EMBEDDED and (controller or webhooks):
        raise UsageError(
            "--controller and --webhooks start a controller in a fresh environment; leave them out"
            f" with --environment {environment}, or give them to `plumbline up`"
        )
    with _place(environment, controller, webhooks) as place:
        request = RunRequest(
            out=out,
            environment=place.description,
            profile=profile,
            levels=level,
            clauses=clause,
            scenarios=scenario,
            workers=workers,
            keep_failed=keep_failed,
        )
        try:
            report = passes.run(request, tell=progress.say)
        finally:
            if place.launched is not None:
                _keep_logs(place.launched, out)
        if place.launched is not None:
            _tell_of_crashes(place.launched, out)
            if keep_failed and report.exitCode in (Exit.CLAUSE_FAILED, Exit.INCONCLUSIVE):
                _leave(place.launched)
    console().print(table.render(report, promises))
    progress.say(f"report: {out / 'report.json'}")
    return report.exitCode


def _require(
    promises: Contract,
    profile: str,
    levels: tuple[str, ...],
    clauses: tuple[str, ...],
    scenarios: tuple[str, ...],
) -> None:
    usage.require("profile", [profile], promises.profiles)
    usage.require("level", levels, LEVELS)
    usage.require("clause", clauses, promises.clauses)
    if scenarios:
        known = [item.id for item in catalogue.read(ROOT / "features", promises).scenarios]
        usage.require("scenario", scenarios, known)


@contextmanager
def _place(environment: str, controller: str, webhooks: Path | None) -> Iterator[Place]:
    if environment == EMBEDDED:
        request = usage.request(f"run-{os.getpid()}", controller, webhooks)
        fit = preflight.check(progress.setup)
        with launch.held(request, fit, progress.tell) as launched:
            yield Place(launched.description, launched)
    elif environment.endswith(".toml") or os.sep in environment:
        path = Path(environment)
        if not path.is_file():
            raise UsageError(f"--environment {environment}: there is no such file")
        yield Place(path)
    else:
        rig = running.find(environment)
        if not rig.ready:
            raise EnvironmentUnfit(f"environment {environment!r} is still coming up; wait for it")
        yield Place(rig.layout.description)


def _keep_logs(launched: Launched, out: Path) -> None:
    """What the components said, beside the report; it goes with the environment otherwise."""
    if not launched.rig.layout.logs.is_dir():
        progress.say("environment: it has ended during the run")
        return
    target = out / "logs"
    shutil.rmtree(target, ignore_errors=True)
    try:
        shutil.copytree(launched.rig.layout.logs, target, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        progress.say(f"environment: its logs could not be kept in {target}: {error}")


def _tell_of_crashes(launched: Launched, out: Path) -> None:
    try:
        components = launched.control.status()
    except OSError:
        return
    for name, state in components.items():
        if state["starts"] > 1:
            progress.say(
                f"environment: {name} was started {state['starts']} times; the last time it"
                f" {how(state['last_exit'])}; see {out / 'logs' / f'{name}.log'}"
            )


def _leave(launched: Launched) -> None:
    launched.detach()
    name = launched.rig.name
    progress.say(f"environment: {name} stays, with the namespaces of failed scenarios")
    progress.say(f"  export KUBECONFIG={launched.rig.layout.admin}")
    progress.say(f"  end it with: plumbline down --name {name}")
