"""Settings of the node agent: what is taken, and what is said of what is not."""

from typing import Any

import pytest

from reference_controller.node.agent import settings
from reference_controller.node.agent.settings import Polls, SettingInvalid

ARGUMENTS = [word for option in settings.OPTIONS for word in (f"--{option}", f"/{option}")]


def test_the_defaults_are_those_of_the_real_agent_poller() -> None:
    chosen = settings.parse(ARGUMENTS, {})
    assert chosen.polls == Polls(10, 120)
    assert (chosen.node.slots, chosen.node.prefix) == (8, 16)
    assert str(chosen.node.gateway) == "10.66.0.1"


@pytest.mark.parametrize(
    ("text", "seconds"), [("10s", 10), ("1m30s", 90), ("0.5s", 0.5), ("500ms", 0.5), ("2h", 7200)]
)
def test_durations_are_written_as_in_go(text: str, seconds: float) -> None:
    assert settings.duration({"X": text}, "X", "1s") == seconds


@pytest.mark.parametrize("text", ["", "10", "s", "-1s", "0s", "1s2", "1 s", "1d"])
def test_anything_else_is_refused_with_the_name_of_the_setting(text: str) -> None:
    with pytest.raises(SettingInvalid, match="AGENT_POLL_MAX"):
        settings.parse(ARGUMENTS, {"AGENT_POLL_MAX": text})


@pytest.mark.parametrize(
    "environment", [{"NIC_SLOTS": "many"}, {"MAIN_GATEWAY": "gate"}, {"MAIN_PREFIX_LENGTH": "/16"}]
)
def test_a_bad_value_names_its_variable(environment: dict[str, Any]) -> None:
    with pytest.raises(SettingInvalid, match=next(iter(environment))):
        settings.parse(ARGUMENTS, environment)


def test_the_last_pause_is_never_below_the_first() -> None:
    chosen = settings.parse(ARGUMENTS, {"AGENT_POLL_INITIAL": "5s", "AGENT_POLL_MAX": "1s"})
    assert chosen.polls == Polls(5, 5)
