"""Conditions move when their meaning moves, and never take foreign ones along."""

from reference_controller.api import conditions
from reference_controller.api.view import Json

OLD, NOW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def stored(kind: str, status: str = "True", reason: str = "R", message: str = "") -> Json:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": 1,
        "lastTransitionTime": OLD,
    }


def test_an_equal_condition_keeps_its_bytes() -> None:
    before = [stored("A")]
    wanted = [conditions.wanted("A", "True", "R", "", 1)]
    assert conditions.merge(before, wanted, ["A"], NOW) == before


def test_a_new_message_or_generation_does_not_move_the_time() -> None:
    [after] = conditions.merge(
        [stored("A")], [conditions.wanted("A", "True", "R", "other", 2)], ["A"], NOW
    )
    assert (after["message"], after["observedGeneration"]) == ("other", 2)
    assert after["lastTransitionTime"] == OLD


def test_another_status_or_reason_moves_the_time() -> None:
    for status, reason in (("False", "R"), ("True", "S")):
        wanted = conditions.wanted("A", status, reason, "", 1)  # type: ignore[arg-type]
        [after] = conditions.merge([stored("A")], [wanted], ["A"], NOW)
        assert after["lastTransitionTime"] == NOW


def test_an_owned_condition_that_is_not_wanted_goes() -> None:
    assert conditions.merge([stored("A")], [], ["A"], NOW) == []


def test_a_foreign_condition_survives_in_place() -> None:
    before = [stored("X"), stored("A"), stored("Y")]
    after = conditions.merge(before, [conditions.wanted("A", "False", "R")], ["A"], NOW)
    assert [condition["type"] for condition in after] == ["X", "A", "Y"]
    assert after[0] == before[0]
    assert after[2] == before[2]
