"""The address objects behind a VM."""

from __future__ import annotations

from pytest_bdd import then

from fixtures.machines.addresses import Addresses
from fixtures.machines.networks import Networks
from steps.sentences import sentence


@then(
    sentence(
        '"{vm}" gets a VirtualMachineIPAddress of type "{kind_of}" with a free address'
        " of the environment"
    )
)
def machine_gets_free_address(vm: str, kind_of: str, addresses: Addresses) -> None:
    addresses.gets_free(vm, kind_of)


@then(
    sentence(
        'that VirtualMachineIPAddress of "{vm}" comes to be "Attached" by way of "Pending"'
        ' and "Bound"'
    )
)
def address_object_advances(vm: str, addresses: Addresses) -> None:
    addresses.advances(vm)


@then(
    sentence(
        'the VirtualMachineIPAddressLease of "{vm}" is "{phase}" and named after the address,'
        ' as in "ip-10-66-10-5"'
    )
)
def lease_is_named_after_address(vm: str, phase: str, addresses: Addresses) -> None:
    addresses.lease_is(vm, phase)


@then(sentence('the VirtualMachineIPAddresses of "{one}" and "{other}" have different addresses'))
def addresses_differ(one: str, other: str, addresses: Addresses) -> None:
    addresses.differ(one, other)


@then(sentence('"{vm}" reports the address of its VirtualMachineIPAddress'))
def machine_reports_address(vm: str, addresses: Addresses) -> None:
    addresses.reported(vm)


@then(
    sentence(
        'the VirtualMachineMACAddress that "{vm}" names for {kind} "{name}" has the same'
        " MAC address"
    )
)
def mac_object_agrees(
    vm: str, kind: str, name: str, addresses: Addresses, networks: Networks
) -> None:
    addresses.mac_agrees(vm, networks.ref(kind, name))
