"""A process that is nobody's child: known by its pid file, watched and ended through a pidfd."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path


class ProcessGone(Exception):
    """There is no such process (any more), or its pid belongs to another one."""


class Process:
    """A handle that stays right when the pid is used again."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self._descriptor = descriptor
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = loop.create_future()
        loop.add_reader(descriptor, self._finish)

    @classmethod
    def find(cls, pid_file: Path, *, argument: str) -> Process:
        """The live process named in `pid_file`, if `argument` occurs on its command line.

        Raises:
            ProcessGone: no file, no process, or the pid is another process's by now.
        """
        try:
            pid = int(pid_file.read_text())
            descriptor = os.pidfd_open(pid)
        except (OSError, ValueError) as exc:
            raise ProcessGone(f"{pid_file}: no process: {exc}") from exc
        try:
            # A process that has ended and waits to be reaped has no command line either.
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            if argument not in words:
                raise ProcessGone(f"{pid_file}: process {pid} has ended")
            return cls(pid, descriptor)
        except OSError as exc:
            os.close(descriptor)
            raise ProcessGone(f"{pid_file}: process {pid} has ended") from exc
        except BaseException:
            os.close(descriptor)
            raise

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to be gone."""
        return self._ended.done()

    async def ended(self) -> None:
        """Return when the process is gone. Needs nobody to reap it."""
        await asyncio.shield(self._ended)

    async def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        if not self._ended.done():
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        await self.ended()

    def release(self) -> None:
        """Stop watching; the process goes on."""
        if not self._ended.done():
            self._finish()

    def _finish(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)
        if not self._ended.done():
            self._ended.set_result(None)
