"""Network references, the VM's list of networks, and the two annotations of the launcher pod.

Sources: spec 1.1 (spec.networks), 4.2 (networks-spec, networks-status), D4, D8, D26.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from .conditions import Condition
from .view import Json, View

NetworkType = Literal["Main", "Network", "ClusterNetwork"]
T = TypeVar("T", bound=View)

MAIN = "Main"
MAIN_ID = 1
FIRST_ADDITIONAL_ID = 2
MAX_ID = 16383
QEMU_UID = 64535
"""uid and gid that SDN gives the tap device (spec 4.2)."""


@dataclass(frozen=True, order=True)
class NetworkKey:
    """What identifies a network of a VM: type and name, never the bare name (D4)."""

    type: str
    name: str = ""

    @property
    def main(self) -> bool:
        """Whether this is the Main network."""
        return self.type == MAIN

    def __str__(self) -> str:
        """`ClusterNetwork/blue`, the form that messages use; `Main` for Main."""
        return self.type if self.main else f"{self.type}/{self.name}"


class NetworkEntry(View):
    """One entry of a VM's spec.networks."""

    type: str = ""
    name: str = ""
    id: int | None = None
    mac_name: str = Field(default="", alias="virtualMachineMACAddressName")
    ip_address_name: str = Field(default="", alias="ipAddressName")

    @property
    def key(self) -> NetworkKey:
        """The network this entry names."""
        return NetworkKey(self.type, "" if self.type == MAIN else self.name)


class NetworkStatusEntry(View):
    """One entry of a VM's status.networks."""

    type: str = ""
    name: str = ""
    id: int | None = None
    mac_address: str = ""
    mac_name: str = Field(default="", alias="virtualMachineMACAddressName")
    ip_address: str = ""

    @property
    def key(self) -> NetworkKey:
        """The network this entry names."""
        return NetworkKey(self.type, "" if self.type == MAIN else self.name)


def effective(entries: Sequence[NetworkEntry] | None) -> tuple[NetworkEntry, ...]:
    """The list with its one meaning: absent and [] are [Main] (HP-03, D8)."""
    return tuple(entries) if entries else (NetworkEntry(type=MAIN, id=MAIN_ID),)


def has_main(entries: Sequence[NetworkEntry] | None) -> bool:
    """Whether Main is among the networks, implicit Main included (B11)."""
    return any(entry.key.main for entry in effective(entries))


def additional(entries: Sequence[NetworkEntry] | None) -> tuple[NetworkEntry, ...]:
    """The entries other than Main, in their order."""
    return tuple(entry for entry in effective(entries) if not entry.key.main)


@dataclass(frozen=True)
class InterfaceRequest:
    """One entry of the annotation networks-spec: an interface that SDN shall make in the pod."""

    id: int
    network: NetworkKey
    interface: str
    address_names: tuple[str, ...] = ()

    def encode(self) -> Json:
        """The entry with its keys in the documented order (spec 4.2)."""
        entry: Json = {
            "id": self.id,
            "type": self.network.type,
            "name": self.network.name,
            "ifName": self.interface,
            "uid": QEMU_UID,
            "gid": QEMU_UID,
        }
        if self.address_names:
            entry |= {"ipAssignmentMode": "DHCP", "ipAddressNames": list(self.address_names)}
        return entry


def encode_requests(requests: Sequence[InterfaceRequest]) -> str | None:
    """The annotation's text, or None when there is nothing to ask (D30, HP-24)."""
    if not requests:
        return None
    return json.dumps([request.encode() for request in requests], separators=(",", ":"))


class _Request(View):
    id: int = 0
    type: str = ""
    name: str = ""
    if_name: str = ""
    ip_address_names: tuple[str, ...] = ()


def decode_requests(text: str | None) -> tuple[InterfaceRequest, ...]:
    """Parse networks-spec; text that is not a list of entries asks for nothing (SE-03)."""
    return tuple(
        InterfaceRequest(
            entry.id, NetworkKey(entry.type, entry.name), entry.if_name, entry.ip_address_names
        )
        for entry in _decode(text, _Request)
        if entry.type and entry.name and entry.if_name
    )


class AddressConfig(View):
    """One address of an interface in networks-status."""

    name: str = ""
    address: str = ""
    network: str = ""
    routes: tuple[dict[str, str], ...] = ()


class InterfaceAnswer(View):
    """One entry of the annotation networks-status: what SDN says of an interface."""

    type: str = ""
    name: str = ""
    if_name: str = ""
    mac: str = ""
    ip_address_configs: tuple[AddressConfig, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def key(self) -> NetworkKey:
        """The network this entry answers for."""
        return NetworkKey(self.type, self.name)

    @property
    def healthy(self) -> bool:
        """Whether SDN says the interface is made and no condition says otherwise (HP-07)."""
        return all(condition.true for condition in self.conditions)

    def answers(self, request: InterfaceRequest) -> bool:
        """Whether this entry reflects `request` and not an older one (D26, HP-25)."""
        named = {config.name for config in self.ip_address_configs}
        return (
            self.key == request.network
            and self.if_name == request.interface
            and named == set(request.address_names)
        )

    def encode(self) -> Json:
        """The entry as SDN writes it."""
        entry: Json = {
            "type": self.type,
            "name": self.name,
            "ifName": self.if_name,
            "mac": self.mac,
            "conditions": [condition.model_dump(by_alias=True) for condition in self.conditions],
        }
        if self.ip_address_configs:
            entry["ipAddressConfigs"] = [
                config.model_dump(by_alias=True) for config in self.ip_address_configs
            ]
        return entry


def encode_answers(answers: Sequence[InterfaceAnswer]) -> str:
    """The text of the annotation networks-status."""
    return json.dumps([answer.encode() for answer in answers], separators=(",", ":"))


def decode_answers(text: str | None) -> tuple[InterfaceAnswer, ...] | None:
    """Parse networks-status; None when it is missing or malformed, which is "not yet" (HP-07)."""
    if text is None:
        return None
    try:
        entries = json.loads(text)
        if not isinstance(entries, list):
            return None
        return tuple(InterfaceAnswer.model_validate(entry) for entry in entries)
    except (ValueError, RecursionError, ValidationError):
        return None


def _decode(text: str | None, kind: type[T]) -> tuple[T, ...]:
    try:
        entries: Any = json.loads(text or "[]")
        return tuple(kind.model_validate(entry) for entry in entries)
    except (ValueError, TypeError, RecursionError, ValidationError):
        return ()
