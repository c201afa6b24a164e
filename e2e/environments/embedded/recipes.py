"""Which components a rig runs, and how each is started; pure.

`vm` is the implementation under test, or whatever command the user gave instead.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from e2e.environments.embedded import settings
from e2e.environments.embedded.layout import Layout

IMPLEMENTATION = "vm"
REFERENCE = (
    "{python} -m reference_controller.vm --kubeconfig {kubeconfig} --cert-dir {cert_dir}"
    " --webhook-port {webhook_port}"
)
PLACEHOLDERS = ("python", "kubeconfig", "cert_dir", "webhook_port")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class CommandUnusable(Exception):
    """A controller's command line that cannot be run; the message says what to change."""


@dataclass(frozen=True)
class GuestFiles:
    """What the nodes start guests from."""

    kernel: Path
    initrd: Path
    template: Path


@dataclass(frozen=True)
class Recipe:
    """How to start one component.

    Attributes:
        name: of the process, its log and its proxy listener.
        account: ServiceAccount in the system namespace.
        argv: with placeholders.
        environ: settings, in addition to the inherited environment.
    """

    name: str
    account: str
    argv: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)

    def command(self, kubeconfig: Path, cert_dir: Path, webhook_port: int) -> list[str]:
        """The command line with every placeholder replaced."""
        values = {
            "python": sys.executable,
            "kubeconfig": str(kubeconfig),
            "cert_dir": str(cert_dir),
            "webhook_port": str(webhook_port),
        }
        return [
            _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), part)
            for part in self.argv
        ]


def parse_command(text: str) -> tuple[str, ...]:
    """Splits a command line as a shell would, without running one.

    Raises:
        CommandUnusable: it is empty, a quote is open, or a placeholder is unknown.
    """
    try:
        parts = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandUnusable(f"the command {text!r} cannot be split: {error}") from error
    if not parts:
        raise CommandUnusable("the command is empty; give a program to start")
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{item}}}" for item in PLACEHOLDERS)
            raise CommandUnusable(f"the command has {{{name}}}, which is none of {known}")
    return parts


def startable(argv: tuple[str, ...]) -> bool:
    """Whether the program of a command line exists."""
    program = argv[0]
    return bool(_PLACEHOLDER.search(program)) or shutil.which(program) is not None


def implementation(argv: tuple[str, ...]) -> Recipe:
    """The component under test."""
    return Recipe(
        IMPLEMENTATION,
        IMPLEMENTATION,
        argv,
        {
            "VIRTUAL_MACHINE_CIDRS": ",".join(settings.CIDRS),
            "CLUSTER_UUID": settings.CLUSTER_UUID,
            "SDN_ENABLED": "true",
            "VIRTUAL_MACHINE_IP_LEASES_RETENTION_DURATION": settings.RETENTION,
        },
    )


def platform(guest: GuestFiles, layout: Layout) -> list[Recipe]:
    """The stand-ins around it."""
    module = ("{python}", "-m")
    plain = ("--kubeconfig", "{kubeconfig}")
    stand_ins = [
        Recipe(name, name, (*module, f"reference_controller.{name}", *plain))
        for name in ("virt", "sdn")
    ]
    nodes = [
        Recipe(
            node,
            "node",
            (
                *module,
                "reference_controller.node",
                *plain,
                *("--node", node, "--netns", node, "--hub", settings.HUB),
                *("--run-dir", str(layout.guests(node))),
                *("--kernel", str(guest.kernel), "--initrd", str(guest.initrd)),
                *("--template", str(guest.template), "--identity", str(layout.identity)),
            ),
            {
                "MAIN_PREFIX_LENGTH": str(settings.MAIN_PREFIX_LENGTH),
                "MAIN_GATEWAY": settings.MAIN_GATEWAY,
                "AGENT_POLL_INITIAL": settings.AGENT_POLL_INITIAL,
                "AGENT_POLL_MAX": settings.AGENT_POLL_MAX,
                "NIC_SLOTS": str(settings.NIC_SLOTS),
            },
        )
        for node in settings.NODES
    ]
    return stand_ins + nodes


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """A component's environment before its settings: ours, without proxies.

    Everything that a component talks to is on this machine.
    """
    return {key: value for key, value in environ.items() if not key.lower().endswith("_proxy")}
