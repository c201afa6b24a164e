"""What is wrong with features and steps, told from what was read and collected."""

import pytest

from fixtures.conformance.catalogue import Scenario
from tools.checks import check_steps
from tools.checks.check_steps import MOST_SCENARIOS, MOST_STEPS


def scenario(name: str, steps: int = 1, row: str = "") -> Scenario:
    """A scenario of one file."""
    return Scenario(f"a/{name}/{row}", "a.feature", name, row, 3, (), (), steps)


@pytest.mark.parametrize(("steps", "count"), [(MOST_STEPS, 0), (MOST_STEPS + 1, 1)])
def test_a_scenario_has_at_most_eight_steps(steps: int, count: int) -> None:
    assert len(check_steps.too_long([scenario("One", steps)])) == count


def test_a_file_has_at_most_ten_scenarios() -> None:
    scenarios = [scenario(f"Number {count}") for count in range(MOST_SCENARIOS + 1)]
    assert check_steps.too_long(scenarios[1:]) == []
    (complaint,) = check_steps.too_long(scenarios)
    assert complaint == "a.feature: 11 scenarios, at most 10; split the file"


def test_the_rows_of_an_outline_count_once() -> None:
    rows = [scenario("One", MOST_STEPS + 1, str(row)) for row in range(MOST_SCENARIOS + 1)]
    (complaint,) = check_steps.too_long(rows)
    assert complaint == 'a.feature:3: "One" has 9 steps, at most 8; split it'


def test_a_step_that_nothing_uses_is_named() -> None:
    defined = ["steps.doors.a_door", "steps.doors.a_window", "elsewhere.a_step"]
    (complaint,) = check_steps.unused(defined, ["steps.doors.a_door"])
    assert complaint == "steps.doors.a_window: no scenario uses this step; delete it"


def test_steps_that_were_not_loaded_are_a_complaint() -> None:
    (complaint,) = check_steps.unused(["other.step"], [])
    assert "no step definition was loaded" in complaint
