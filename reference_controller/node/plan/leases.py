"""Which address DHCP gives to each NIC, and the record of it that SDN's answer shows."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from reference_controller.api import names
from reference_controller.api.internal import Interface
from reference_controller.api.networks import AddressConfig, InterfaceRequest

from .world import Reservation, World


def main_address(world: World) -> IPv4Address | None:
    """The address that the pod's annotation gives to Main; None without a usable one."""
    text = world.pod.metadata.annotations.get(names.POD_ADDRESS) if world.pod else None
    try:
        return IPv4Address(text) if text else None
    except ValueError:
        return None


def address_config(world: World, request: InterfaceRequest) -> AddressConfig | None:
    """The address that `request` names, once it is allocated in that network.

    While the object is not usable an earlier answer to the same request still counts: an address
    in use is not taken away because of trouble with its object (D32).
    """
    for name in request.address_names:
        claim = world.addresses.get(name)
        if claim is not None and claim.network == request.network and claim.allocated:
            status = claim.status
            return AddressConfig(
                name=name, address=status.address, network=status.network, routes=status.routes
            )
    earlier = (world.pod.answers if world.pod else None) or ()
    for answer in earlier:
        if answer.answers(request) and answer.ip_address_configs:
            return answer.ip_address_configs[0]
    return None


def reservation(world: World, interface: Interface) -> Reservation | None:
    """What DHCP shall give to a NIC of the instance; None where it has nothing to give."""
    mac = names.normal_mac(interface.mac_address)
    if interface.name == names.MAIN_INTERFACE:
        address = main_address(world)
        if address is None:
            return None
        prefixed = IPv4Interface(f"{address}/{world.node.prefix}")
        return Reservation(mac, prefixed, gateway=world.node.gateway)
    for request in world.requests:
        if request.interface == interface.name:
            config = address_config(world, request)
            return _reserve(mac, config) if config is not None else None
    return None


def l2_only(world: World, interface: str) -> bool:
    """Whether the interface is asked for, without an address."""
    return any(
        request.interface == interface and not request.address_names for request in world.requests
    )


def _reserve(mac: str, config: AddressConfig) -> Reservation | None:
    try:
        prefix = IPv4Network(config.network, strict=False).prefixlen if config.network else 32
        address = IPv4Interface(f"{config.address}/{prefix}")
        return Reservation(mac, address, routes=tuple(_routes(config.routes)))
    except ValueError:
        return None


def _routes(routes: Iterable[dict[str, str]]) -> Iterable[tuple[IPv4Network, IPv4Address]]:
    for route in routes:
        destination = IPv4Network(route.get("destination", ""), strict=False)
        yield destination, IPv4Address(route.get("via", ""))
