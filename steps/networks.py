"""Networks come into being, and are added to and removed from running VMs."""

from __future__ import annotations

from pytest_bdd import given, then, when

from fixtures.machines.edits import Edits
from fixtures.machines.inside import Inside
from fixtures.machines.letting_go import LettingGo
from fixtures.machines.machines import Machines
from fixtures.machines.networks import Networks
from fixtures.machines.reports import Reports
from fixtures.waiting.budgets import Budgets
from steps.sentences import sentence


@given(sentence('{kind} "{name}" is ready'))
def network_is_ready(kind: str, name: str, networks: Networks, budgets: Budgets) -> None:
    networks.make_ready(kind, name, within=budgets.condition)


@given(sentence('{kind} "{name}" with the addresses "{cidr}" is ready'))
def network_with_addresses_is_ready(
    kind: str, name: str, cidr: str, networks: Networks, budgets: Budgets
) -> None:
    networks.make_ready(kind, name, within=budgets.condition, addresses=cidr)


@given(sentence('ClusterNetworks "{one}" and "{other}" are ready'))
def cluster_networks_are_ready(one: str, other: str, networks: Networks, budgets: Budgets) -> None:
    networks.make_ready("ClusterNetwork", one, within=budgets.condition)
    networks.make_ready("ClusterNetwork", other, within=budgets.condition)


@given(sentence('{kind} "{name}" has been added to "{vm}"'))
def network_has_been_added(
    kind: str, name: str, vm: str, machines: Machines, networks: Networks, inside: Inside
) -> None:
    machines.add(vm, networks.ref(kind, name))
    inside.has_mac_of(vm, networks.ref(kind, name))


@when(sentence('{kind} "{name}" is added to "{vm}"'))
def network_is_added(kind: str, name: str, vm: str, edits: Edits, networks: Networks) -> None:
    edits.add(vm, networks.ref(kind, name))


@when(sentence('{kind} "{name}" is added to "{vm}" with id {number:d}'))
def network_is_added_with_id(
    kind: str, name: str, vm: str, number: int, edits: Edits, networks: Networks
) -> None:
    edits.add(vm, networks.ref(kind, name, number))


@when(sentence('{kind} "{name}" is removed from "{vm}"'))
def network_is_removed(kind: str, name: str, vm: str, edits: Edits, networks: Networks) -> None:
    edits.remove(vm, networks.ref(kind, name))


@when(sentence('the networks of "{vm}" become'))
def networks_become(
    vm: str, datatable: list[list[str]], machines: Machines, networks: Networks
) -> None:
    machines.edit(vm, networks.refs(datatable))


@then(sentence('"{vm}" reports {kind} "{name}" with id {number:d}'))
def machine_reports_id(
    vm: str, kind: str, name: str, number: int, reports: Reports, networks: Networks
) -> None:
    reports.has_id(vm, networks.ref(kind, name), number)


@then(sentence('"{vm}" no longer reports {kind} "{name}"'))
def machine_no_longer_reports(
    vm: str, kind: str, name: str, letting_go: LettingGo, networks: Networks
) -> None:
    letting_go.no_longer_reports(vm, networks.ref(kind, name))


@then(sentence('"{vm}" had reported {kind} "{name}" until its guest let go of the interface'))
def machine_had_reported_until_gone(
    vm: str, kind: str, name: str, letting_go: LettingGo, networks: Networks
) -> None:
    letting_go.reported_until_gone(vm, networks.ref(kind, name))
