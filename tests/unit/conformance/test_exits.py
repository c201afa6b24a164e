"""The exit code that wins."""

from __future__ import annotations

import itertools

from fixtures.conformance.exits import PRECEDENCE, Exit, strongest


def test_the_numbers_are_those_of_the_contract() -> None:
    assert sorted(Exit) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 130, 143]


def test_every_code_has_its_place() -> None:
    assert sorted(PRECEDENCE) == sorted(Exit)


def test_no_reason_is_conformant() -> None:
    assert strongest([]) is Exit.CONFORMANT


def test_of_any_two_the_one_that_comes_first_wins() -> None:
    for first, second in itertools.combinations(PRECEDENCE, 2):
        assert strongest([second, first]) is first


def test_a_leak_hides_no_failure_and_a_filter_hides_no_leak() -> None:
    assert strongest([Exit.LEAKED, Exit.CLAUSE_FAILED]) is Exit.CLAUSE_FAILED
    assert strongest([Exit.NOT_CERTIFIABLE, Exit.LEAKED]) is Exit.LEAKED
