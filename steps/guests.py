"""What is found inside the guests."""

from __future__ import annotations

from pytest_bdd import then

from fixtures.machines.addresses import Addresses
from fixtures.machines.inside import Inside
from fixtures.machines.networks import Networks
from steps.sentences import sentence


@then(sentence('the guest of "{vm}" has {count}'))
def guest_has_interfaces(vm: str, count: int, inside: Inside) -> None:
    inside.has_count(vm, count)


@then(sentence('the guest of "{vm}" keeps {count}'))
def guest_keeps_interfaces(vm: str, count: int, inside: Inside) -> None:
    inside.keeps_count(vm, count)


@then(
    sentence(
        'the guest of "{vm}" has an interface with the MAC address that the VM reports'
        ' for {kind} "{name}"'
    )
)
def guest_has_reported_mac(
    vm: str, kind: str, name: str, inside: Inside, networks: Networks
) -> None:
    inside.has_mac_of(vm, networks.ref(kind, name))


@then(
    sentence(
        'the guest of "{vm}" has an interface with the index that the VM reports'
        ' for {kind} "{name}"'
    )
)
def guest_has_reported_index(
    vm: str, kind: str, name: str, inside: Inside, networks: Networks
) -> None:
    inside.has_index_of(vm, networks.ref(kind, name))


@then(sentence('the guest of "{vm}" has the address that the VM reports for {kind} "{name}"'))
def guest_has_reported_address(
    vm: str, kind: str, name: str, inside: Inside, networks: Networks
) -> None:
    inside.has_address_of(vm, networks.ref(kind, name))


@then(sentence('the guest of "{vm}" has an interface with index {number:d}'))
def guest_has_index(vm: str, number: int, inside: Inside) -> None:
    inside.has_index(vm, number)


@then(sentence('the guest of "{vm}" has a Main interface'))
def guest_has_main(vm: str, inside: Inside) -> None:
    inside.has_main(vm)


@then(sentence('the guest of "{vm}" keeps its Main interface'))
def guest_keeps_main(vm: str, inside: Inside) -> None:
    inside.keeps_main(vm)


@then(
    sentence(
        'the Main interface in the guest of "{vm}" has the address of its VirtualMachineIPAddress'
    )
)
def main_interface_has_address(vm: str, inside: Inside, addresses: Addresses) -> None:
    inside.main_has(vm, addresses.of(vm))
