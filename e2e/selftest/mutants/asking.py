"""Defects in what the SDN is asked, and in waiting for its answer: HP-07, HP-08, HP-24."""

from __future__ import annotations

from typing import Any, Final

from e2e.selftest.mutants.mutant import Function, Mutant

HANDSHAKE: Final = "reference_controller.vm.plan.handshake"


def _does_not_wait(_: Function) -> Function:
    return lambda *_: True


def _silence_is_consent(original: Function) -> Function:
    def healthy(pod: Any, request: Any) -> Any:
        return pod.answers is None or original(pod, request)

    return healthy


def _any_answer_will_do(_: Function) -> Function:
    return lambda pod, _: bool(pod.answers)


def _asks_for_root(original: Function) -> Function:
    def annotation(nics: Any) -> Any:
        text = original(nics)
        return text.replace('"uid":64535', '"uid":0') if text else text

    return annotation


def _keys_in_another_order(original: Function) -> Function:
    def annotation(nics: Any) -> Any:
        text = original(nics)
        return text.replace('"uid":64535,"gid":64535', '"gid":64535,"uid":64535') if text else text

    return annotation


def _asks_for_an_empty_list(original: Function) -> Function:
    return lambda nics: original(nics) or "[]"


MUTANTS: Final = (
    Mutant(
        "does-not-wait-for-the-sdn",
        "vm",
        f"{HANDSHAKE}:answered",
        "HP-07",
        "the NIC is given to the VM in the pass that asks the SDN for it",
        _does_not_wait,
    ),
    Mutant(
        "silence-is-consent",
        "vm",
        f"{HANDSHAKE}:healthy",
        "HP-07",
        "a pod without any answer of the SDN counts as healthy",
        _silence_is_consent,
    ),
    Mutant(
        "any-answer-will-do",
        "vm",
        f"{HANDSHAKE}:healthy",
        "HP-07",
        "an answer for another network counts as an answer",
        _any_answer_will_do,
    ),
    Mutant(
        "asks-for-root",
        "vm",
        f"{HANDSHAKE}:annotation",
        "HP-08",
        "the SDN is asked for an interface that belongs to user 0",
        _asks_for_root,
    ),
    Mutant(
        "keys-in-another-order",
        "vm",
        f"{HANDSHAKE}:annotation",
        "HP-08",
        "the keys of an entry come in another order than documented",
        _keys_in_another_order,
    ),
    Mutant(
        "asks-for-an-empty-list",
        "vm",
        f"{HANDSHAKE}:annotation",
        "HP-24",
        "without additional networks the SDN is asked for an empty list",
        _asks_for_an_empty_list,
    ),
)
