"""The contract's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.conformance import contract
from fixtures.errors import EnvironmentUnfit

ROOT = Path(__file__).parents[3]
CLAUSES = """
clauses:
  - {id: AA-01, level: core, text: one}
  - {id: BB-01, level: robust, text: two}
  - {id: BB-02, level: extended, feature: Slots, text: three}
"""
PROFILES = """
profiles:
  - {name: core, meaning: m, levels: [core]}
  - {name: area, meaning: m, levels: [core, robust, extended], areas: [BB]}
"""


def write(folder: Path, clauses: str = CLAUSES, profiles: str = PROFILES) -> Path:
    (folder / "clauses.yaml").write_text(clauses, encoding="utf-8")
    (folder / "profiles.yaml").write_text(profiles, encoding="utf-8")
    return folder


def test_a_profile_claims_its_levels_within_its_areas(tmp_path: Path) -> None:
    loaded = contract.load(write(tmp_path))
    claimed = {
        name: [clause.id for clause in loaded.clauses.values() if profile.claims(clause)]
        for name, profile in loaded.profiles.items()
    }
    assert claimed == {"core": ["AA-01"], "area": ["BB-01", "BB-02"]}
    assert loaded.features == {"Slots"}


@pytest.mark.parametrize(
    ("clauses", "profiles", "told"),
    [
        (CLAUSES + "  - {id: AA-01, level: core, text: again}", PROFILES, "AA-01 is there twice"),
        (CLAUSES.replace("core", "basic"), PROFILES, "level"),
        (CLAUSES.replace("AA-01", "AA-1"), PROFILES, "AA-1"),
        ("clauses: [", PROFILES, "cannot be used"),
        (
            CLAUSES,
            PROFILES.replace("areas: [BB]", "known_different: [{clause: ZZ-01, reason: r}]"),
            "ZZ-01",
        ),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, clauses: str, profiles: str, told: str) -> None:
    with pytest.raises(EnvironmentUnfit, match=told):
        contract.load(write(tmp_path, clauses, profiles))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnfit, match=r"clauses\.yaml"):
        contract.load(tmp_path)


def test_the_repository_holds_a_usable_contract() -> None:
    loaded = contract.load(ROOT / "features" / "contract")
    assert {"core", "robust", "hotplug", "all"} <= set(loaded.profiles)
    assert all(loaded.profiles["all"].claims(clause) for clause in loaded.clauses.values())
