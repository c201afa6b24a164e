"""Follows one running guest: its machine's events, its agent's reports, its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from reference_controller.node.drivers.guest_agent import (
    AgentRefused,
    AgentUnavailable,
    GuestInterface,
)
from reference_controller.node.drivers.qemu import GuestProcess
from reference_controller.node.drivers.qmp import Event, QmpClosed
from reference_controller.node.plan.world import Reported

from .settings import Polls

log = structlog.get_logger()
ORDERLY_ENDS = ("guest-shutdown",)
"""Reasons of a SHUTDOWN event that mean that the guest powered itself off."""
SYSTEM_KEYS = {
    "id": "id",
    "name": "name",
    "pretty-name": "prettyName",
    "version": "version",
    "version-id": "versionId",
    "kernel-release": "kernelRelease",
    "kernel-version": "kernelVersion",
    "machine": "machine",
}


class Attention:
    """What is known of a running guest. `changed` is called whenever that is something new.

    Attributes:
        ended: the pod phase that the machine's end means; empty while it runs.
        report: the last interfaces that the agent told; silence and nonsense keep them (AS-03).
    """

    def __init__(self, guest: GuestProcess, polls: Polls, changed: Callable[[], None]) -> None:
        self.guest = guest
        self.agent_open = False
        self.report: tuple[Reported, ...] | None = None
        self.system: dict[str, str] = {}
        self.ended = ""
        self._polls = polls
        self._changed = changed
        self._ask = asyncio.Event()
        self._orderly = False
        self._tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._poll())]
        for task in self._tasks:
            task.add_done_callback(_complain)

    def ask_now(self) -> None:
        """Ask the agent at once, and often again for a while: something has changed."""
        self._ask.set()

    async def finished(self) -> None:
        """Return when the machine's end is known."""
        await asyncio.shield(self._tasks[0])

    async def stop(self) -> None:
        """Follow the guest no longer."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self) -> None:
        try:
            with self.guest.qmp.subscribe() as events:
                self.agent_open = await self.guest.agent_open()
                self.ask_now()
                while True:
                    self._take(await events.next())
        except QmpClosed:
            await self.guest.ended()
            await self.guest.release()
        self.ended = "Succeeded" if self._orderly else "Failed"
        log.info("guest ended", guest=self.guest.directory.name, phase=self.ended)
        self._tasks[1].cancel()
        self._changed()

    def _take(self, event: Event) -> None:
        match event.name:
            case "VSERPORT_CHANGE":
                self.agent_open = bool(event.data.get("open"))
            case "SHUTDOWN":
                self._orderly = event.data.get("reason") in ORDERLY_ENDS
            case "RESET":
                # A guest may reboot after a shutdown was only asked for.
                self._orderly = False
            case "DEVICE_DELETED":
                pass
            case _:
                return
        log.info("guest event", guest=self.guest.directory.name, what=event.name)
        self.ask_now()
        self._changed()

    async def _poll(self) -> None:
        pause = self._polls.first
        while True:
            try:
                async with asyncio.timeout(pause):
                    await self._ask.wait()
                pause = self._polls.first
            except TimeoutError:
                pause = min(pause * 2, self._polls.last)
            self._ask.clear()
            if self.agent_open:
                await self._question()

    async def _question(self) -> None:
        try:
            report = tuple(_reported(one) for one in await self.guest.agent.interfaces())
            if not self.system:
                told = await self.guest.agent.os_info()
                self.system = {SYSTEM_KEYS[key]: told[key] for key in SYSTEM_KEYS if key in told}
                self._changed()
        except (AgentUnavailable, AgentRefused, ValueError, LookupError, TypeError) as exc:
            log.info("no report", guest=self.guest.directory.name, error=str(exc))
            return
        if report != self.report:
            self.report = report
            self._changed()


def _reported(told: GuestInterface) -> Reported:
    return Reported(told.name, (told.mac or "").lower(), told.addresses or ())


def _complain(task: asyncio.Task[None]) -> None:
    """A defect must not leave a guest unattended in silence."""
    if not task.cancelled() and (defect := task.exception()) is not None:
        log.error("guest is no longer followed", error=repr(defect))
