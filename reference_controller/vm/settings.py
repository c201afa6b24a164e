"""The component's settings: environment variables and options, checked before anything starts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network
from pathlib import Path

from reference_controller.vm.operator.process import Server
from reference_controller.vm.plan import mac_addresses
from reference_controller.vm.plan.world import Settings

UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


class Unusable(ValueError):
    """A setting or option has a value that cannot be used; the text names it and what to do."""


def parse(environment: Mapping[str, str]) -> Settings:
    """Read the settings from environment variables.

    Raises:
        Unusable: a variable is missing or has a value that cannot be used.
    """
    return Settings(
        oui=_oui(environment.get("CLUSTER_UUID", "")),
        cidrs=_cidrs(environment.get("VIRTUAL_MACHINE_CIDRS", "")),
        sdn_enabled=_switch("SDN_ENABLED", environment.get("SDN_ENABLED", "false")),
        retention=_retention(
            environment.get("VIRTUAL_MACHINE_IP_LEASES_RETENTION_DURATION", "10m")
        ),
    )


def server(certificates: Path | None, port: int | None) -> Server | None:
    """Where admission is served; None when neither option is given.

    Raises:
        Unusable: only one option is given, a file is missing, or the port is none.
    """
    if certificates is None and port is None:
        return None
    if certificates is None or port is None:
        raise Unusable("--cert-dir and --webhook-port belong together; give both or none")
    if not 0 < port < 65536:
        raise Unusable(f"--webhook-port {port} is no TCP port; give one from 1 to 65535")
    for name in ("tls.crt", "tls.key", "ca.crt"):
        if not (certificates / name).is_file():
            raise Unusable(f"--cert-dir {certificates}: {name} is missing; put it there")
    return Server(certificates, port)


def kubeconfig(path: str) -> str:
    """The path of a kubeconfig that can be read.

    Raises:
        Unusable: there is no such file.
    """
    if not Path(path).is_file():
        raise Unusable(f"--kubeconfig {path}: no such file; name a kubeconfig")
    return path


def duration(text: str) -> float:
    """Seconds of a Go duration such as `10m`, `1m30s` or `250ms`.

    Raises:
        ValueError: `text` is not a duration.
    """
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{text!r} is not a duration such as 10m or 1m30s")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def _oui(text: str) -> str:
    try:
        return mac_addresses.oui(text)
    except ValueError as error:
        raise Unusable(f"CLUSTER_UUID {text!r} is not a UUID; set it to the cluster's") from error


def _cidrs(text: str) -> tuple[IPv4Network, ...]:
    found: list[IPv4Network] = []
    for part in filter(None, (item.strip() for item in text.split(","))):
        try:
            cidr = IPv4Network(part)
        except ValueError as error:
            raise Unusable(
                f"VIRTUAL_MACHINE_CIDRS: {part!r} is not an IPv4 CIDR ({error}); correct it"
            ) from error
        for other in found:
            if cidr.overlaps(other):
                raise Unusable(f"VIRTUAL_MACHINE_CIDRS: {cidr} overlaps {other}; remove one")
        found.append(cidr)
    return tuple(found)


def _switch(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise Unusable(f"{name} {text!r} is neither true nor false; set it to one of them")
    return text == "true"


def _retention(text: str) -> int:
    name = "VIRTUAL_MACHINE_IP_LEASES_RETENTION_DURATION"
    try:
        return round(duration(text))
    except ValueError as error:
        raise Unusable(f"{name}: {error}; correct it") from error
