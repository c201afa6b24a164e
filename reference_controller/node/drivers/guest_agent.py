"""Client for the QEMU guest agent over the unix socket of its virtio port.

The agent answers late, or never: it may be hung, stopped or not there yet. Whatever the reason, the
caller sees AgentUnavailable; the next call connects anew and synchronises, so that a late answer is
never taken for its own.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from pathlib import Path
from typing import Any

LINE_LIMIT = 16 << 20
"""Bytes in one answer; the agent caps the output of a command at 16 MB (before base64)."""
EXEC_POLL = 0.01
"""Seconds between questions whether a command has ended."""
WRITE_CHUNK = 48 << 10
"""Bytes of a file in one request."""


class AgentUnavailable(Exception):
    """No answer in time. Says nothing about why; the port's state (GuestProcess.agent_open) may."""


class AgentRefused(Exception):
    """The agent answered with an error: unknown command, bad argument, failure in the guest."""


@dataclass(frozen=True)
class GuestInterface:
    """One network interface as the guest reports it.

    `addresses` is None where the agent left the key out, which it does rather than send an empty
    list.
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


def parse_interfaces(answer: Sequence[Mapping[str, Any]]) -> tuple[GuestInterface, ...]:
    """Read the answer of guest-network-get-interfaces."""
    found = []
    for entry in answer:
        listed = entry.get("ip-addresses")
        addresses = None
        if listed is not None:
            addresses = tuple(
                ip_interface(f"{one['ip-address']}/{one['prefix']}") for one in listed
            )
        found.append(GuestInterface(entry["name"], entry.get("hardware-address"), addresses))
    return tuple(found)


class GuestAgent:
    """Calls are serialised; each gets `timeout` seconds."""

    def __init__(self, path: Path, *, timeout: float = 2.0) -> None:
        self._path = path
        self._timeout = timeout
        self._lock = asyncio.Lock()
        self._ids = itertools.count(id(self) & 0xFFFF_FFFF)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, command: str, /, **arguments: Any) -> Any:
        """The `return` value of any agent command; underscores in argument names become dashes.

        Raises:
            AgentUnavailable: no answer in time. The command may run nevertheless.
            AgentRefused: the agent answered with an error.
        """
        request: dict[str, Any] = {"execute": command}
        if arguments:
            request["arguments"] = {
                name.replace("_", "-"): value for name, value in arguments.items()
            }
        async with self._lock:
            answer = await self._exchange(command, request, expect_answer=True)
        if "error" in answer:
            error = answer["error"]
            raise AgentRefused(
                f"the guest agent refuses {command}: {error['desc']} ({error['class']})"
            )
        return answer["return"]

    async def ping(self) -> None:
        """Return when the agent answers. AgentUnavailable."""
        await self.call("guest-ping")

    async def interfaces(self) -> tuple[GuestInterface, ...]:
        """Every interface, lo included, in the guest's order."""
        return parse_interfaces(await self.call("guest-network-get-interfaces"))

    async def os_info(self) -> dict[str, str]:
        """What the guest says of its system, with the agent's keys (`id`, `version-id`...)."""
        return {
            str(key): str(value) for key, value in (await self.call("guest-get-osinfo")).items()
        }

    async def hostname(self) -> str:
        """The guest's name."""
        return str((await self.call("guest-get-host-name"))["host-name"])

    async def version(self) -> str:
        """The agent's own version."""
        return str((await self.call("guest-info"))["version"])

    async def run(
        self, path: str, *arguments: str, stdin: bytes = b"", within: float = 10.0
    ) -> Outcome:
        """Run a program in the guest and wait for its end.

        Raises:
            AgentUnavailable: not ended after `within` seconds (it goes on running), or no answer.
            AgentRefused: there is no such program.
        """
        options: dict[str, Any] = {"input-data": base64.b64encode(stdin).decode()} if stdin else {}
        try:
            async with asyncio.timeout(within):
                started = await self.call(
                    "guest-exec", path=path, arg=list(arguments), capture_output=True, **options
                )
                now: dict[str, Any] = {"exited": False}
                while not now["exited"]:
                    now = await self.call("guest-exec-status", pid=started["pid"])
                    # The agent has no event for the end of a command.
                    await asyncio.sleep(0 if now["exited"] else EXEC_POLL)  # noqa: TID251
        except TimeoutError as exc:
            raise AgentUnavailable(f"{path} has not ended in the guest after {within:g} s") from exc
        return Outcome(
            now.get("exitcode"),
            base64.b64decode(now.get("out-data", "")),
            base64.b64decode(now.get("err-data", "")),
        )

    async def write_file(self, path: str, content: bytes) -> None:
        """Create or replace a file in the guest (mode 0666 less the agent's umask)."""
        handle = await self.call("guest-file-open", path=path, mode="w")
        try:
            for start in range(0, len(content), WRITE_CHUNK):
                chunk = base64.b64encode(content[start : start + WRITE_CHUNK]).decode()
                await self.call("guest-file-write", handle=handle, buf_b64=chunk)
        finally:
            await self.call("guest-file-close", handle=handle)

    async def shut_down(self, mode: str = "powerdown") -> None:
        """Ask for `powerdown`, `reboot` or `halt`. Returns once asked: success has no answer."""
        request = {"execute": "guest-shutdown", "arguments": {"mode": mode}}
        async with self._lock:
            await self._exchange("guest-shutdown", request, expect_answer=False)

    async def close(self) -> None:
        """Disconnect. A later call connects again."""
        streams, self._streams = self._streams, None
        if streams is not None:
            streams[1].close()
            with suppress(OSError):
                await streams[1].wait_closed()

    async def _exchange(
        self, command: str, request: Mapping[str, Any], *, expect_answer: bool
    ) -> Mapping[str, Any]:
        whole = False
        try:
            async with asyncio.timeout(self._timeout):
                reader, writer = self._streams or await self._synchronise()
                writer.write(json.dumps(request).encode() + b"\n")
                await writer.drain()
                answer = await _line(reader) if expect_answer else {}
            whole = True
        except TimeoutError as exc:
            raise AgentUnavailable(
                f"the guest agent has not answered {command} in {self._timeout:g} s"
            ) from exc
        except (OSError, ValueError, EOFError) as exc:
            raise AgentUnavailable(f"the guest agent cannot be asked for {command}: {exc}") from exc
        finally:
            # Cancelled or failed half-way: what arrives next would be the answer to this request.
            if not whole:
                await self.close()
        return answer

    async def _synchronise(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect, and read past answers to requests of earlier connections."""
        self._streams = await asyncio.open_unix_connection(str(self._path), limit=LINE_LIMIT)
        reader, writer = self._streams
        number = next(self._ids)
        # 0xff makes the agent's parser drop half a request that an earlier client may have left.
        ask = {"execute": "guest-sync-delimited", "arguments": {"id": number}}
        writer.write(b"\xff" + json.dumps(ask).encode() + b"\n")
        await writer.drain()
        while (await _line(reader)).get("return") != number:
            pass
        return self._streams


async def _line(reader: asyncio.StreamReader) -> Mapping[str, Any]:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise EOFError("the machine closed the agent's port")
    # The answer to guest-sync-delimited follows 0xff, and that perhaps a torn old answer.
    message = json.loads(line.rpartition(b"\xff")[2])
    if not isinstance(message, dict):
        raise ValueError(f"not an answer of a guest agent: {line[:80]!r}")
    return message
