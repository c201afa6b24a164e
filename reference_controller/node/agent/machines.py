"""The guests of this node, by the UID of their pods."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from reference_controller.node.drivers import template as templates
from reference_controller.node.drivers.guest_agent import AgentRefused, AgentUnavailable
from reference_controller.node.drivers.identity import Identity, machine_id
from reference_controller.node.drivers.machine import Nic as MachineNic
from reference_controller.node.drivers.qemu import (
    GuestGone,
    GuestProcess,
    StartFailed,
    UnplugRefused,
)
from reference_controller.node.drivers.qmp import QmpClosed, QmpError, QmpRefused
from reference_controller.node.drivers.template import Template, TemplateUnusable
from reference_controller.node.plan.world import Guest, Nic

from .attention import Attention
from .records import Record
from .settings import Polls

log = structlog.get_logger()
Wake = Callable[[str], None]
ASK_AGAIN = 1.0
"""Seconds until what a machine or a guest refused is tried again."""
START_TROUBLE = (AgentRefused, AgentUnavailable, OSError, QmpError, StartFailed, TemplateUnusable)
FLAP_SECONDS = 1.2
"""Guests lose flaps shorter than about a second."""


@dataclass(frozen=True)
class Keys:
    """What every guest of the environment shares."""

    authorized_keys: str
    host_key: str


class Machines:
    """Starts, adopts, changes and ends guests. `wake` is told the UID whenever one changed."""

    def __init__(
        self, run_dir: Path, netns: Path, template: Template, keys: Keys, polls: Polls, wake: Wake
    ) -> None:
        self._run_dir = run_dir
        self._netns = netns
        self._template = template
        self._keys = keys
        self._polls = polls
        self._wake = wake
        self._records: dict[str, Record] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def records(self) -> dict[str, Record]:
        """The admitted pods, by UID."""
        return self._records

    async def adopt(self) -> None:
        """Take over what an earlier agent left running here."""
        for record in Record.load_all(self._run_dir):
            self._records[record.uid] = record
            if not record.ended:
                await self._adopt(record)

    async def _adopt(self, record: Record) -> None:
        try:
            guest = await GuestProcess.adopt(record.directory)
        except GuestGone:
            if record.started:
                record.note_end("Failed")
            return
        if not record.started:
            # The agent died while it made the guest: a torso without an identity.
            await guest.kill()
            return
        log.info("guest adopted", guest=record.uid, pod=record.name)
        self._attend(record, guest)

    def admit(self, uid: str, namespace: str, name: str) -> None:
        """Take note of a pod."""
        self._records[uid] = Record.create(self._run_dir / uid, namespace, name)

    def start(self, uid: str, hostname: str, machine: str) -> None:
        """Begin to make the guest of an admitted pod, without NICs; `wake` follows."""
        record = self._records[uid]
        identity = Identity(
            hostname, machine_id(machine), self._keys.authorized_keys, self._keys.host_key
        )
        record.start = self._spawn(self._start(record, identity))

    def starting(self, uid: str) -> bool:
        """Whether the guest of a pod is being made."""
        record = self._records.get(uid)
        return record is not None and record.start is not None

    async def plug(self, uid: str, nic: MachineNic) -> None:
        """Hot-plug a NIC. NoFreeSlot, NicDiffers, QmpRefused, QmpClosed."""
        attention = self._running(uid)
        await attention.guest.plug(nic)
        attention.ask_now()

    def unplug(self, uid: str, nic_id: int) -> None:
        """Begin to take a NIC away; `wake` follows when the guest has let go."""
        record = self._records[uid]
        if nic_id not in record.leaving:
            record.leaving.add(nic_id)
            self._spawn(self._unplug(uid, record, nic_id))

    def flap(self, uid: str, nic_id: int) -> None:
        """Begin to pull a NIC's cable and put it back."""
        guest = self._running(uid).guest
        self._spawn(self._flap(guest, nic_id))

    async def stop(self, uid: str) -> None:
        """End the guest at once. It has no file systems to lose."""
        record = self._records[uid]
        if record.start is not None:
            record.start.cancel()
            await asyncio.wait({record.start})
        if record.attention is not None:
            attention, record.attention = record.attention, None
            await attention.stop()
            await attention.guest.kill()
        record.note_stop()

    async def discard(self, uid: str) -> None:
        """Forget a pod that is gone."""
        record = self._records.pop(uid, None)
        if record is not None:
            await asyncio.to_thread(record.discard)

    async def facts(self, uid: str) -> Guest | None:
        """What is true of a pod's guest now; None when it has none."""
        record = self._records.get(uid)
        if record is None:
            return None
        attention = record.attention
        if attention is not None and not attention.ended:
            try:
                plugged = await attention.guest.nics()
            except QmpClosed:
                await attention.finished()
            else:
                return Guest(
                    nics=tuple(Nic(one.id, one.tap, one.mac) for one in plugged),
                    leaving=frozenset(record.leaving),
                    agent_open=attention.agent_open,
                    report=attention.report,
                    system=attention.system,
                )
        if attention is not None and not record.ended:
            record.note_end(attention.ended)
        return Guest(ended=record.ended) if record.ended else None

    async def release(self) -> None:
        """Leave all guests running, for the next agent to adopt."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for record in self._records.values():
            if record.attention is not None:
                await record.attention.stop()
                await record.attention.guest.release()

    def _attend(self, record: Record, guest: GuestProcess) -> None:
        record.attention = Attention(guest, self._polls, lambda: self._wake(record.uid))

    def _running(self, uid: str) -> Attention:
        attention = self._records[uid].attention
        if attention is None:
            raise GuestGone(f"pod {uid} has no guest")
        return attention

    async def _start(self, record: Record, identity: Identity) -> None:
        uid = record.uid
        try:
            guest = await templates.clone(
                self._template, record.directory, identity, netns=self._netns
            )
            record.note_start()
            self._attend(record, guest)
        except START_TROUBLE as exc:
            log.warning("guest not started", guest=uid, error=str(exc))
            asyncio.get_running_loop().call_later(ASK_AGAIN, self._wake, uid)
        else:
            self._wake(uid)
        finally:
            record.start = None

    async def _unplug(self, uid: str, record: Record, nic_id: int) -> None:
        try:
            await self._running(uid).guest.unplug(nic_id)
        except (UnplugRefused, QmpRefused) as exc:
            log.info("NIC not let go yet", guest=uid, nic=nic_id, error=str(exc))
            asyncio.get_running_loop().call_later(ASK_AGAIN, self._wake, uid)
        except (QmpClosed, GuestGone):
            pass  # the guest ended, and all its NICs with it
        else:
            self._wake(uid)
        finally:
            record.leaving.discard(nic_id)

    async def _flap(self, guest: GuestProcess, nic_id: int) -> None:
        try:
            await guest.set_link(nic_id, up=False)
            try:
                async with asyncio.timeout(FLAP_SECONDS):
                    await guest.ended()
            except TimeoutError:
                pass
            finally:
                await guest.set_link(nic_id, up=True)
        except (QmpRefused, QmpClosed) as exc:
            log.info("cable not pulled", guest=guest.directory.name, nic=nic_id, error=str(exc))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
