"""Every sentence has exactly one step definition, every definition a sentence, every scenario runs.

pytest-bdd finds a missing step only when it runs it, takes the later of two definitions that fit,
and forgets the earlier of two scenarios of one name; none of that is reported.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.checks.gherkin import FeatureUnreadable, Scenario, read_all

FEATURES = Path("features")
BINDINGS = "e2e/conformance"
STEPS = "steps"
MOST_STEPS = 8
MOST_SCENARIOS = 10


class CollectionFailed(Exception):
    """pytest could not collect the bindings; the message holds what it said."""


def written(scenarios: Sequence[Scenario]) -> list[str]:
    """Complaints about the feature files themselves."""
    complaints = []
    for scenario in scenarios:
        if scenario.steps == 0:
            complaints.append(f"{scenario}: has no steps, so it proves nothing")
        if scenario.steps > MOST_STEPS:
            complaints.append(f"{scenario}: {scenario.steps} steps, at most {MOST_STEPS}; split it")
    for (path, name), count in Counter((one.path, one.name) for one in scenarios).items():
        if count > 1:
            complaints.append(f'{path}: {count} scenarios are called "{name}"; one alone would run')
    for path, count in Counter(scenario.path for scenario in scenarios).items():
        if count > MOST_SCENARIOS:
            complaints.append(
                f"{path}: {count} scenarios, at most {MOST_SCENARIOS}; split the file"
            )
    return complaints


def unbound(scenarios: Iterable[Scenario], bound: Iterable[Sequence[str]]) -> list[str]:
    """Complaints about scenarios that no binding runs; `bound` as in `collection.Collected`."""
    known = {tuple(pair) for pair in bound}
    return [
        f"{one}: no module of {BINDINGS} runs it; add its file to scenarios(...)"
        for one in scenarios
        if (str(one.path.resolve()), one.name) not in known
    ]


def unused(defined: Iterable[str], used: Iterable[str], package: str = STEPS) -> list[str]:
    """Complaints about step functions of `package` that no sentence needs."""
    ours = {name for name in defined if name.startswith(f"{package}.")}
    if not ours:
        return [f"{package}/: no step definition was loaded; there is nothing to check"]
    return [f"{name}: no scenario uses this step; delete it" for name in sorted(ours - set(used))]


def collect(bindings: str, root: Path) -> dict[str, list[str]]:
    """Collects the scenarios of `bindings` without running them; the fields of `Collected`.

    Raises:
        CollectionFailed: pytest stopped, for example at an unknown tag.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "collected.json"
        argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        argv += ["-p", "tools.checks.collection", "--collection-out", str(out), bindings]
        done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not out.exists():
            said = "\n".join(f"    {line}" for line in (done.stdout + done.stderr).splitlines())
            raise CollectionFailed(
                f"{bindings}: cannot be collected (pytest exited {done.returncode})\n{said}"
            )
        found: dict[str, list[str]] = json.loads(out.read_text(encoding="utf-8"))
        return found


def check(
    root: Path = Path(), features: Path = FEATURES, bindings: str = BINDINGS, package: str = STEPS
) -> list[str]:
    """All complaints about features and steps."""
    try:
        scenarios = read_all(root / features)
        if not scenarios:
            return [f"{features}/: no scenario found; there is nothing to check"]
        complaints = written(scenarios)
        collected = collect(bindings, root)
    except FeatureUnreadable as exc:
        return [str(exc)]
    except CollectionFailed as exc:
        return [*complaints, str(exc)]
    return [
        *complaints,
        *dict.fromkeys(collected["complaints"]),
        *unbound(scenarios, collected["bound"]),
        *unused(collected["defined"], collected["used"], package),
    ]


if __name__ == "__main__":
    found = check()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
