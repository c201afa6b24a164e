"""What exceptions say."""

from __future__ import annotations

import pytest

from fixtures import errors
from fixtures.conformance.failures import finding

CASES = [
    (errors.ConformanceFailure("x"), "failed"),
    (errors.ExpectationNotMet("x"), "failed"),
    (errors.InvariantViolated("x"), "failed"),
    (errors.ReportedAddressDead("x"), "failed"),
    (AssertionError("x"), "error"),
    (KeyError("x"), "error"),
    (errors.SuiteError("x"), "error"),
    (errors.Refused("x"), "error"),
    (errors.GuestCommandFailed("g", "c", 1, "", ""), "error"),
    (errors.EnvironmentUnfit("x"), "unfit"),
    (errors.Unreachable("x"), "unfit"),
    (errors.GuestUnreachable("x"), "unfit"),
    (errors.Inconclusive("x"), "inconclusive"),
    (errors.NotSupported("x"), "not-supported"),
    (errors.Leak("x"), "leak"),
    (pytest.skip.Exception("x"), "skipped"),
    (pytest.fail.Exception("x"), "error"),
]


@pytest.mark.parametrize(
    ("exception", "expected"), CASES, ids=[type(error).__name__ for error, _ in CASES]
)
def test_the_type_decides(exception: BaseException, expected: str) -> None:
    assert finding(exception) == expected


def test_of_a_group_the_worst_counts() -> None:
    several = ExceptionGroup("x", [errors.Leak("a"), errors.InvariantViolated("b"), KeyError("c")])
    assert finding(several) == "failed"
    assert finding(ExceptionGroup("x", [errors.Leak("a"), KeyError("c")])) == "error"


def test_no_exception_of_the_suite_is_forgotten() -> None:
    """Each class of `errors` is classified on purpose: by itself or by one that it derives from."""
    classes = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    seen = {type(error) for error, _ in CASES}
    assert all(any(issubclass(each, known) for known in seen) for each in classes)
