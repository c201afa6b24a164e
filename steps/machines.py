"""VMs are created, run, restart, settle; and what must hold of them to the end of the scenario."""

from __future__ import annotations

from pytest_bdd import given, then, when

from fixtures.machines.machines import Machines
from fixtures.machines.networks import Networks
from fixtures.machines.promises import Promises
from fixtures.machines.reports import Reports
from steps.sentences import sentence


@given(sentence('the VM "{vm}" is running with networks'))
def machine_is_running(
    vm: str, datatable: list[list[str]], machines: Machines, networks: Networks
) -> None:
    machines.run(vm, networks.refs(datatable))


@given(sentence('"{vm}" must not restart'))
def machine_must_not_restart(vm: str, promises: Promises) -> None:
    promises.no_restart(vm)


@given(sentence('"{vm}" must go on running'))
def machine_must_go_on(vm: str, promises: Promises) -> None:
    promises.goes_on(vm)


@given(sentence('"{vm}" must go on running and report no Main network'))
def machine_must_go_on_without_main(vm: str, promises: Promises) -> None:
    promises.goes_on(vm)
    promises.no_main(vm)


@when(sentence('the VM "{vm}" is created with networks'))
def machine_is_created(
    vm: str, datatable: list[list[str]], machines: Machines, networks: Networks
) -> None:
    machines.create(vm, networks.refs(datatable))


@when(sentence('the VMs "{one}" and "{other}" are created with networks'))
def machines_are_created(
    one: str, other: str, datatable: list[list[str]], machines: Machines, networks: Networks
) -> None:
    machines.create(one, networks.refs(datatable))
    machines.create(other, networks.refs(datatable))


@when(sentence('"{vm}" is restarted'))
def machine_is_restarted(vm: str, machines: Machines) -> None:
    machines.restart(vm)


@then(sentence('"{vm}" reports "{kind_of}" is "{status}" because "{reason}"'))
def machine_reports(vm: str, kind_of: str, status: str, reason: str, reports: Reports) -> None:
    reports.condition(vm, kind_of, status, reason)


@then(sentence('"{vm}" reports "{kind_of}" is "{status}" because "{reason}", mentioning "{word}"'))
def machine_reports_mentioning(
    vm: str, kind_of: str, status: str, reason: str, word: str, reports: Reports
) -> None:
    reports.condition(vm, kind_of, status, reason, word)


@then(sentence('"{vm}" reports no Main network'))
def machine_reports_no_main(vm: str, reports: Reports) -> None:
    reports.no_main(vm)


@then(sentence('"{vm}" settles'))
def machine_settles(vm: str, reports: Reports) -> None:
    reports.settles(vm)


@then(sentence('"{vm}" settles with "{present}" "{status}" and without "{missing}"'))
def machine_settles_with(
    vm: str, present: str, status: str, missing: str, reports: Reports
) -> None:
    reports.settles_with(vm, present, status, missing)


@then(sentence('the column "{column}" of "{vm}" is blank'))
def column_is_blank(vm: str, column: str, reports: Reports) -> None:
    reports.column_says(vm, column, "")


@then(sentence('the column "{column}" of "{vm}" says "{text}"'))
def column_says(vm: str, column: str, text: str, reports: Reports) -> None:
    reports.column_says(vm, column, text)
