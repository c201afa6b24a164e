"""What the SDN is asked for, when it answers, and what follows from the answer."""

from __future__ import annotations

from pytest_bdd import given, then, when

from fixtures.faults.levers import Levers
from fixtures.machines.asked import Asked
from fixtures.machines.edits import Edits
from fixtures.machines.networks import Networks
from steps.sentences import sentence


@given(sentence('the SDN does not answer for {kind} "{name}"'))
def sdn_is_silent(kind: str, name: str, levers: Levers, networks: Networks) -> None:
    levers.pull("hold_sdn_answer", **networks.lever_target(kind, name))


@given(sentence('{kind} "{name}" has been added to "{vm}" while the SDN does not answer for it'))
def network_is_waiting(
    kind: str, name: str, vm: str, levers: Levers, edits: Edits, networks: Networks, asked: Asked
) -> None:
    levers.pull("hold_sdn_answer", **networks.lever_target(kind, name))
    edits.add(vm, networks.ref(kind, name))
    asked.something_for(vm, networks.ref(kind, name))


@given(sentence('the SDN is asked for an interface for {kind} "{name}" in "{vm}"'))
def sdn_is_asked_for(kind: str, name: str, vm: str, asked: Asked, networks: Networks) -> None:
    asked.something_for(vm, networks.ref(kind, name))


@given(sentence('what the SDN is asked for "{vm}" is kept, entry by entry'))
def request_is_kept(vm: str, asked: Asked) -> None:
    asked.keeps_entries(vm)


@when(sentence('the SDN answers for {kind} "{name}"'))
def sdn_answers(kind: str, name: str, levers: Levers, networks: Networks) -> None:
    levers.release("hold_sdn_answer", **networks.lever_target(kind, name))


@then(sentence('the SDN is asked for these interfaces of "{vm}"'))
def sdn_is_asked_for_these(vm: str, docstring: str, asked: Asked) -> None:
    asked.exactly(vm, docstring)


@then(sentence('the SDN is asked for nothing for "{vm}"'))
def sdn_is_asked_for_nothing(vm: str, asked: Asked) -> None:
    asked.nothing(vm)


@then(sentence('"{vm}" was never given more than {count}'))
def machine_was_never_given_more(vm: str, count: int, asked: Asked) -> None:
    asked.never_given_more_than(vm, count)


@then(
    sentence(
        '"{vm}" was given the interface for {kind} "{name}" only after the SDN had reported'
        " it healthy"
    )
)
def interface_came_after_answer(
    vm: str, kind: str, name: str, asked: Asked, networks: Networks
) -> None:
    asked.answered_before_given(vm, networks.ref(kind, name))
