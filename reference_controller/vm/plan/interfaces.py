"""Which NICs the VM shall have now, and why a network has none (spec 4.1, 5.3, D2, D6, D32, D33).

Readiness, addresses and MACs decide only whether a NIC is *added*: one that the guest has stays,
whatever happens to its network, until the spec no longer lists it or asks for another MAC.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_controller.api import names, networks
from reference_controller.api.internal import Interface
from reference_controller.api.machines import VirtualMachineSpec
from reference_controller.api.networks import (
    MAIN_ID,
    InterfaceRequest,
    NetworkEntry,
    NetworkKey,
    decode_requests,
)

from . import claims, identifiers, interfaces, macs
from .claims import Provision
from .macs import MacChoice
from .world import World


@dataclass(frozen=True)
class Nic:
    """One additional NIC that the VM shall have.

    `present`: it is in the template already and not asked to leave, so SDN's answer was seen.
    """

    key: NetworkKey
    id: int
    mac: str
    name: str
    address_names: tuple[str, ...] = ()
    present: bool = False

    @property
    def request(self) -> InterfaceRequest:
        """What SDN is asked for it (spec 4.2)."""
        return InterfaceRequest(self.id, self.key, self.name, self.address_names)


@dataclass(frozen=True)
class Desired:
    """The outcome for one spec.

    Attributes:
        main: whether the VM has the Main NIC.
        nics: the additional NICs, in spec order.
        left_out: for each network without a NIC, why not (empty where NetworkReady says it).
        replugging: networks whose old NIC must leave before the new one may come (MC-06).
        choices, provisions: the MAC and the address of every additional network.
        ids: the id of every network.
    """

    main: bool
    nics: tuple[Nic, ...] = ()
    left_out: dict[NetworkKey, str] = field(default_factory=dict)
    replugging: tuple[NetworkKey, ...] = ()
    choices: dict[NetworkKey, MacChoice] = field(default_factory=dict)
    provisions: dict[NetworkKey, Provision] = field(default_factory=dict)
    ids: dict[NetworkKey, int] = field(default_factory=dict)


def decide(world: World, spec: VirtualMachineSpec) -> Desired:
    """The NICs that `spec` asks for, as far as they can be had."""
    entries = networks.effective(spec.networks)
    ids = interfaces.ids_of(world, entries)
    choices = macs.choose(world, entries)
    provisions = claims.decide(world, entries)
    nics: list[Nic] = []
    left_out: dict[NetworkKey, str] = {}
    replugging = []
    for entry in networks.additional(entries):
        key = entry.key
        if key not in ids:
            left_out[key] = f"{key}: no id is left"
            continue
        choice, provision = choices[key], provisions[key]
        fitted = interfaces.fitted(world, key)
        cause = interfaces.obstacle(world, choice, provision)
        if fitted is not None and (cause or not _must_replug(fitted, choice)):
            nics.append(_kept(world, fitted, entry, ids[key], provision))
        elif cause:
            left_out[key] = cause
        elif interfaces.leaving(world, ids[key], choice):
            left_out[key] = f"{key}: waiting until the guest has released the former interface"
            replugging.append(key)
        else:
            name = names.interface_name(key.type, choice.address)
            nics.append(Nic(key, ids[key], choice.address, name, provision.names))
    main = networks.has_main(entries) and bool(world.settings.cidrs)
    return Desired(main, tuple(nics), left_out, tuple(replugging), choices, provisions, ids)


def ids_of(world: World, entries: tuple[NetworkEntry, ...]) -> dict[NetworkKey, int]:
    """The id of each entry; admission has given them, this repeats its rule where it could not."""
    try:
        numbers = identifiers.assign(entries, (), world.vm.status.networks)
    except identifiers.Exhausted:
        numbered = tuple(entry for entry in entries if entry.id is not None)
        return {entry.key: entry.id or MAIN_ID for entry in numbered}
    return {entry.key: number for entry, number in zip(entries, numbers, strict=True)}


def obstacle(world: World, choice: MacChoice, provision: Provision) -> str:
    """Why a NIC cannot be added now; empty when it can."""
    network = world.networks.get(choice.key)
    if not world.settings.sdn_enabled:
        return f"{choice.key}: the SDN module is switched off"
    if network is None or not network.ready or network.metadata.deleting:
        return f"{choice.key}: the network is not Ready"
    return choice.problem or provision.problem


def leaving(world: World, number: int, choice: MacChoice) -> bool:
    """Whether the guest still has another NIC in the place (id) that this one shall take."""
    instance = world.live_instance
    if instance is None:
        return False
    mine = names.interface_name(choice.key.type, choice.address) if choice.address else ""
    return any(
        nic.acpi_index == number and nic.name != mine
        for nic in instance.spec.interfaces
        if nic.name != names.MAIN_INTERFACE
    )


def fitted(world: World, key: NetworkKey) -> Interface | None:
    """The NIC of a network that a live guest has, or is about to get, and that was not recalled."""
    if world.internal is None or world.live_instance is None:
        return None
    owners = interfaces.owners(world)
    return next(
        (
            nic
            for nic in world.internal.interfaces
            if not nic.absent and owners.get(nic.name) == key
        ),
        None,
    )


def owners(world: World) -> dict[str, NetworkKey]:
    """Interface name -> network, from everything that has ever recorded the pair.

    The template's own networks-spec is the durable record; the VM's status adds NICs that are
    leaving, the pods' annotations those that are coming.
    """
    found: dict[str, NetworkKey] = {}
    for entry in world.vm.status.networks:
        if entry.mac_address:
            name = names.interface_name(entry.type, names.normal_mac(entry.mac_address))
            found[name] = entry.key
    for pod in world.pods:
        found |= {request.interface: request.network for request in pod.requests}
    return found | {request.interface: request.network for request in template_requests(world)}


def template_requests(world: World) -> tuple[InterfaceRequest, ...]:
    """The decoded networks-spec of the internal VM's template."""
    if world.internal is None:
        return ()
    annotations = world.internal.spec.template.metadata.annotations
    return decode_requests(annotations.get(names.NETWORKS_SPEC))


def _must_replug(nic: Interface, choice: MacChoice) -> bool:
    """Whether the entry asks for another MAC, and that one can be had (MC-06, D32, D33)."""
    return bool(choice.address) and names.normal_mac(nic.mac_address) != choice.address


def _kept(
    world: World, nic: Interface, entry: NetworkEntry, number: int, provision: Provision
) -> Nic:
    """A NIC that the guest has: its address changes only once the new one can be had (D32)."""
    asked = {request.network: request.address_names for request in template_requests(world)}
    address_names = asked.get(entry.key, ()) if provision.problem else provision.names
    return Nic(
        entry.key,
        nic.acpi_index or number,
        names.normal_mac(nic.mac_address),
        nic.name,
        address_names,
        present=True,
    )
