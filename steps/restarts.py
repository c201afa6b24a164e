"""Changes that wait for a restart."""

from __future__ import annotations

from pytest_bdd import given, then

from fixtures.machines.machines import Machines
from fixtures.machines.networks import Networks
from fixtures.machines.pending import Pending
from steps.sentences import sentence


@given(sentence('a restart of "{vm}" is awaited to apply the networks'))
def restart_is_awaited(
    vm: str,
    datatable: list[list[str]],
    machines: Machines,
    networks: Networks,
    pending: Pending,
) -> None:
    machines.edit(vm, networks.refs(datatable))
    pending.await_restart(vm)


@then(sentence('the only change that awaits a restart of "{vm}" is'))
def only_change_is(vm: str, datatable: list[list[str]], pending: Pending) -> None:
    pending.only_change_is(vm, datatable)


@then(sentence('nothing awaits a restart of "{vm}"'))
def nothing_awaits_a_restart(vm: str, pending: Pending) -> None:
    pending.nothing(vm)
