"""Every sentence has exactly one step definition, every definition a sentence, every scenario runs.

pytest-bdd finds a missing step only when it runs it, takes the later of two definitions that fit,
and forgets the earlier of two scenarios of one name; none of that is reported.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from fixtures.conformance import catalogue, contract, request
from fixtures.conformance.catalogue import Scenario
from fixtures.conformance.collection import binding_troubles

FEATURES = Path("features")
BINDINGS = "e2e/conformance"
STEPS = "steps"
MOST_STEPS = 8
MOST_SCENARIOS = 10


class CollectionFailed(Exception):
    """pytest could not collect the bindings; the message holds what it said."""


def read(features: Path) -> catalogue.Catalogue:
    """All feature files, with the contract beside them."""
    return catalogue.read(features, contract.load(features / "contract"))


def too_long(scenarios: Iterable[Scenario]) -> list[str]:
    """Complaints about what a reader cannot hold in mind."""
    written = {(one.feature, one.name): one for one in scenarios}
    complaints = [
        f'{feature}:{one.line}: "{name}" has {one.steps} steps, at most {MOST_STEPS}; split it'
        for (feature, name), one in written.items()
        if one.steps > MOST_STEPS
    ]
    complaints += [
        f"{feature}: {count} scenarios, at most {MOST_SCENARIOS}; split the file"
        for feature, count in Counter(feature for feature, _ in written).items()
        if count > MOST_SCENARIOS
    ]
    return complaints


def unused(defined: Iterable[str], used: Iterable[str], package: str = STEPS) -> list[str]:
    """Complaints about step functions of `package` that no sentence needs."""
    ours = {name for name in defined if name.startswith(f"{package}.")}
    if not ours:
        return [f"{package}/: no step definition was loaded; there is nothing to check"]
    return [f"{name}: no scenario uses this step; delete it" for name in sorted(ours - set(used))]


def collect(
    root: Path, features: Path, bindings: str, plugins: Iterable[str]
) -> dict[str, list[str]]:
    """Collects the scenarios of `bindings` without running them; the fields of `Collected`.

    Raises:
        CollectionFailed: pytest stopped, for example at an unknown tag.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "collected.json"
        argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        for plugin in (*plugins, "tools.checks.collection"):
            argv += ["-p", plugin]
        argv += ["--collection-out", str(out)]
        argv += ["--collection-features", str((root / features).resolve()), bindings]
        done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not out.exists():
            said = "\n".join(f"    {line}" for line in (done.stdout + done.stderr).splitlines())
            raise CollectionFailed(
                f"{bindings}: cannot be collected (pytest exited {done.returncode})\n{said}"
            )
        found: dict[str, list[str]] = json.loads(out.read_text(encoding="utf-8"))
        return found


def check(
    root: Path = Path(),
    features: Path = FEATURES,
    bindings: str = BINDINGS,
    package: str = STEPS,
    plugins: Iterable[str] | None = None,
) -> list[str]:
    """All complaints about features and steps; the plugins are by default those of a run."""
    found = read(root / features)
    complaints = [*found.troubles, *too_long(found.scenarios)]
    if not found.scenarios:
        return [*complaints, f"{features}/: no scenario found; there is nothing to check"]
    try:
        chosen = request.plugins() if plugins is None else plugins
        collected = collect(root, features, bindings, chosen)
    except CollectionFailed as exc:
        return [*complaints, str(exc)]
    return [
        *complaints,
        *collected["troubles"],
        *binding_troubles(collected["scenarios"], [one.id for one in found.scenarios]),
        *unused(collected["defined"], collected["used"], package),
    ]


if __name__ == "__main__":
    found = check()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
