"""Client for the QEMU guest agent over the unix socket of its virtio port.

The agent answers late, or never: it may be hung, stopped or not there yet. Whatever the reason, the caller sees
AgentUnavailable; the next call connects anew and synchronises, so that a late answer is never taken for its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface
from pathlib import Path
from typing import Any


class AgentUnavailable(Exception):
    """No answer in time. Says nothing about why; the port's state (GuestProcess.agent_open) may."""


class AgentRefused(Exception):
    """The agent answered with an error: unknown command, bad argument, or a failure in the guest."""


@dataclass(frozen=True)
class GuestInterface:
    """One network interface as the guest reports it.

    `addresses` is None where the agent left the key out, which it does instead of sending an empty list.
    """

    name: str
    mac: str | None
    addresses: tuple[IPv4Interface | IPv6Interface, ...] | None


@dataclass(frozen=True)
class Outcome:
    """A command that ran in the guest; `status` is None when a signal ended it."""

    status: int | None
    stdout: bytes
    stderr: bytes


class GuestAgent:
    """Calls are serialised; each gets `timeout` seconds."""

    def __init__(self, path: Path, *, timeout: float = 2.0) -> None: ...

    async def call(self, command: str, /, **arguments: Any) -> Any:
        """The `return` value of any agent command. AgentUnavailable, AgentRefused."""

    async def ping(self) -> None: ...

    async def interfaces(self) -> tuple[GuestInterface, ...]: ...

    async def os_info(self) -> dict[str, str]: ...

    async def hostname(self) -> str: ...

    async def run(self, path: str, *arguments: str, stdin: bytes = b"", within: float = 10.0) -> Outcome:
        """Run a program in the guest and wait for its end. AgentUnavailable after `within` seconds."""

    async def write_file(self, path: str, content: bytes) -> None: ...

    async def shut_down(self, mode: str = "powerdown") -> None:
        """Ask for `powerdown`, `reboot` or `halt`. Returns once asked: a successful call has no answer."""

    async def close(self) -> None: ...
