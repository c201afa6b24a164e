"""What is wrong with feature files can be told without running them."""

from pathlib import Path

import pytest

from tools.checks import check_steps
from tools.checks.check_steps import MOST_SCENARIOS, MOST_STEPS
from tools.checks.gherkin import FeatureUnreadable, Scenario, read


def test_a_folder_without_features_is_a_complaint(tmp_path: Path) -> None:
    assert check_steps.check(tmp_path) == [
        "features/: no scenario found; there is nothing to check"
    ]


def test_steps_that_were_not_loaded_are_a_complaint() -> None:
    (complaint,) = check_steps.unused(["other.step"], [])
    assert "no step definition was loaded" in complaint


@pytest.mark.parametrize(("steps", "count"), [(0, 1), (1, 0), (MOST_STEPS, 0), (MOST_STEPS + 1, 1)])
def test_a_scenario_has_one_to_eight_steps(steps: int, count: int) -> None:
    scenario = Scenario(Path("a.feature"), 3, "One", frozenset(), steps)
    assert len(check_steps.written([scenario])) == count


def test_a_file_has_at_most_ten_scenarios() -> None:
    scenarios = [
        Scenario(Path("a.feature"), line, f"Number {line}", frozenset(), 1)
        for line in range(MOST_SCENARIOS + 1)
    ]
    assert check_steps.written(scenarios[1:]) == []
    assert check_steps.written(scenarios) == ["a.feature: 11 scenarios, at most 10; split the file"]


def test_tags_are_inherited_from_feature_rule_and_examples(tmp_path: Path) -> None:
    path = tmp_path / "tags.feature"
    path.write_text(
        "@a\nFeature: F\n  @b\n  Rule: R\n    @c\n    Scenario Outline: S\n      Given <x>\n"
        "      @d\n      Examples:\n        | x |\n        | 1 |\n"
    )
    (scenario,) = read(path)
    assert scenario.tags == {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    "text", ["", "Scenario: Lonely\n", "Feature: F\n  Nonsense:\n    Given a\n"]
)
def test_a_broken_feature_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.feature").write_text(text)
    with pytest.raises(FeatureUnreadable, match=r"broken\.feature"):
        read(tmp_path / "broken.feature")
