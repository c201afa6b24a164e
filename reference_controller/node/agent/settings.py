"""What the node agent is told on its command line and in its environment."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from reference_controller.node.plan.world import NodeFacts

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class SettingInvalid(Exception):
    """A setting cannot be used; the message names it."""


@dataclass(frozen=True)
class Polls:
    """Seconds between questions to a guest agent: the first pause doubles up to the last."""

    first: float
    last: float


@dataclass(frozen=True)
class Settings:
    """All settings. `identity` holds `authorized_keys` and `host_key`."""

    kubeconfig: str
    node: NodeFacts
    netns: str
    hub: str
    run_dir: Path
    kernel: Path
    initrd: Path
    template: Path
    identity: Path
    polls: Polls


def parse(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read the settings.

    Raises:
        SettingInvalid: an environment variable has no usable value.
        SystemExit: an option is missing or unknown.
    """
    parser = argparse.ArgumentParser(
        prog="reference_controller.node",
        description="Plays kubelet, virt-handler, virt-launcher and SDN's node part for one node.",
    )
    for option, meaning in OPTIONS.items():
        parser.add_argument(f"--{option}", required=True, help=meaning)
    given = parser.parse_args(arguments)
    slots = _number(environment, "NIC_SLOTS", 8)
    prefix = _number(environment, "MAIN_PREFIX_LENGTH", 16)
    gateway = environment.get("MAIN_GATEWAY", "10.66.0.1")
    try:
        facts = NodeFacts(given.node, slots, prefix, IPv4Address(gateway))
    except ValueError as exc:
        raise SettingInvalid(f"MAIN_GATEWAY={gateway}: {exc}; give an IPv4 address") from exc
    first = duration(environment, "AGENT_POLL_INITIAL", "10s")
    last = duration(environment, "AGENT_POLL_MAX", "120s")
    return Settings(
        kubeconfig=given.kubeconfig,
        node=facts,
        netns=given.netns,
        hub=given.hub,
        run_dir=Path(given.run_dir),
        kernel=Path(given.kernel),
        initrd=Path(given.initrd),
        template=Path(given.template),
        identity=Path(given.identity),
        polls=Polls(first, max(first, last)),
    )


OPTIONS = {
    "kubeconfig": "how to reach the API server",
    "node": "name of the Node to register and to serve",
    "netns": "network namespace of the node, made if it is not there",
    "hub": "network namespace that joins the nodes; it must be there",
    "run-dir": "directory of this node's guests; a short path, emptied by nobody else",
    "kernel": "kernel of the guest image",
    "initrd": "initramfs of the guest image",
    "template": "directory of the saved guest that others are cloned from, made if it is empty",
    "identity": "directory with authorized_keys and host_key for all guests",
}


def duration(environment: Mapping[str, str], name: str, default: str) -> float:
    """A duration in Go's notation, such as `10s`, `1m30s` or `0.5s`, in seconds.

    Raises:
        SettingInvalid: it is none, or not above zero.
    """
    text = environment.get(name, default)
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    total = sum(float(number) * UNITS[unit] for number, unit in parts)
    if "".join(number + unit for number, unit in parts) != text or total <= 0:
        raise SettingInvalid(
            f"{name}={text}: not a duration above zero; write it like 10s or 1m30s"
        )
    return total


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, str(default))
    if not text.isdecimal():
        raise SettingInvalid(f"{name}={text}: not a number; give a whole number above zero")
    return int(text)
