"""status.interfaces of the instance: what the machine has, with the guest's words merged in.

The order of work is that of spec 7.2: the machine's NICs, the addresses the platform gave, then
the agent's report by MAC. The report alone never makes an entry vanish or lose an address.
"""

from __future__ import annotations

from ipaddress import ip_interface

from reference_controller.api import names
from reference_controller.api.internal import InterfaceStatus
from reference_controller.api.view import Json

from . import merge
from .world import Nic, Reported, World

LOOPBACK = "lo"
DOMAIN = "domain"
AGENT = "guest-agent"
MAIN_LINK = "eth0"


def decide(world: World) -> list[Json]:
    """The list to report, Main first."""
    report = _report(world)
    entries = [_entry(world, nic, report) for nic in world.nics]
    main = [entry for entry in entries if entry["name"] == names.MAIN_INTERFACE]
    if not main and any(one.name == names.MAIN_INTERFACE for one in world.interfaces):
        main = [{"name": names.MAIN_INTERFACE}]
    rest = [entry for entry in entries if entry["name"] != names.MAIN_INTERFACE]
    own = {nic.mac for nic in world.nics}
    guests = [_foreign(one) for one in report or () if one.mac not in own and one.name != LOOPBACK]
    return [*main, *rest, *guests]


def _report(world: World) -> tuple[Reported, ...]:
    """What the agent said last; before its first word, what it is known to have said earlier.

    The latter matters after a restart of the node agent: silence is no news.
    """
    guest = world.guest
    if guest is not None and guest.report is not None:
        return guest.report
    earlier = world.instance.status.interfaces if world.instance is not None else ()
    return tuple(_earlier(entry) for entry in earlier if AGENT in entry.info_source)


def _earlier(entry: InterfaceStatus) -> Reported:
    addresses = tuple(ip_interface(text) for text in entry.ip_addresses)
    return Reported(entry.interface_name, names.normal_mac(entry.mac), addresses)


def _entry(world: World, nic: Nic, report: tuple[Reported, ...]) -> Json:
    name = world.interface_of(nic)
    told = [one for one in report if one.mac == nic.mac]
    served = world.reservations.get(name)
    known = (served.address.ip,) if served is not None and served.mac == nic.mac else ()
    reported = [address for one in told for address in one.addresses]
    entry: Json = {"name": name, "mac": nic.mac}
    entry |= _shown(merge.addresses(known, reported))
    if told:
        # A bridge in the guest may share the MAC of its port, which is older and listed first.
        entry["interfaceName"] = told[0].name
    entry["infoSource"] = f"{DOMAIN}, {AGENT}" if told else DOMAIN
    entry["linkState"] = "up"
    entry["podInterfaceName"] = MAIN_LINK if name == names.MAIN_INTERFACE else name
    entry["queueCount"] = 1
    return entry


def _foreign(told: Reported) -> Json:
    """An interface that the guest made itself: never one of the VM's (AS-09)."""
    entry: Json = {"interfaceName": told.name, "infoSource": AGENT}
    if told.mac:
        entry["mac"] = told.mac
    return entry | _shown(merge.addresses((), told.addresses))


def _shown(addresses: tuple[str, ...]) -> Json:
    return {"ipAddress": addresses[0], "ipAddresses": list(addresses)} if addresses else {}
