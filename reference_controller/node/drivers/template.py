"""The copy-on-write template: a booted guest, saved; clones of it start in a tenth of a second.

Its RAM is a file that clones map privately, so they share every page that they do not write. The
saved device state fits only the QEMU, machine shape, kernel and initramfs it was made with.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from reference_controller.node.drivers import identity as identities
from reference_controller.node.drivers.guest_agent import AgentUnavailable, GuestAgent
from reference_controller.node.drivers.identity import Identity
from reference_controller.node.drivers.machine import Boot, Ram, Shape, Sockets
from reference_controller.node.drivers.qemu import GuestProcess, StartFailed
from reference_controller.node.drivers.qmp import Events, Qmp, QmpClosed

NO_IDENTITY = bytes(10240)
"""An empty tar archive: a template is nobody."""


class TemplateUnusable(Exception):
    """The directory holds no template, or one that this QEMU cannot restore."""


@dataclass(frozen=True)
class Template:
    """A saved guest: `directory` holds `ram`, `state` and `template.json` (the shape)."""

    directory: Path
    boot: Boot
    shape: Shape

    @classmethod
    def load(cls, directory: Path, boot: Boot) -> Template:
        """Read a template that create() made.

        Raises:
            TemplateUnusable: the directory holds none.
        """
        try:
            shape = Shape(**json.loads((directory / "template.json").read_text()))
            whole = (directory / "ram").stat().st_size == shape.memory_mib << 20
            whole = whole and (directory / "state").stat().st_size > 0
        except (OSError, ValueError, TypeError) as exc:
            raise TemplateUnusable(f"{directory}: no template of a guest: {exc}") from exc
        if not whole:
            raise TemplateUnusable(f"{directory}: the template of a guest is torn; make it anew")
        return cls(directory, boot, shape)

    @property
    def ram(self) -> Path:
        return self.directory / "ram"

    @property
    def state(self) -> Path:
        return self.directory / "state"


async def create(
    directory: Path, run: Path, boot: Boot, shape: Shape, *, within: float = 120.0
) -> Template:
    """Boot a guest in `run` (for its sockets: a short path), save it into the empty `directory`.

    Raises:
        StartFailed: QEMU does not start, or no agent is there in time.
        OSError: there is no room for the guest's memory.
    """
    ram = Ram(directory / "ram", shared=True)
    _reserve(ram.path, shape.memory_mib << 20)
    guest = await GuestProcess.start(run, shape, boot, NO_IDENTITY, ram=ram, template=True)
    try:
        async with asyncio.timeout(within):
            await _agent_up(guest)
            await _save(guest.qmp, directory / "state")
    except TimeoutError as exc:
        console = (run / "console.log").read_text(errors="replace")[-2000:]
        raise StartFailed(
            f"the guest image has not come up in {within:g} s with {shape.accelerator};"
            f" its console ends with:\n{console}"
        ) from exc
    except QmpClosed as exc:
        raise StartFailed(f"QEMU ended while the template was made: {exc}") from exc
    finally:
        await guest.kill()
    with ram.path.open("rb") as file:
        os.fsync(file.fileno())
    (directory / "template.json").write_text(json.dumps(asdict(shape)))
    return Template.load(directory, boot)


async def clone(
    template: Template,
    directory: Path,
    identity: Identity,
    *,
    netns: Path | None = None,
    within: float = 60.0,
) -> GuestProcess:
    """A running guest without NICs, with random state, clock, names and keys of its own.

    Plug Main next. `directory` is the guest's own; `netns` the path of the network namespace in
    which its taps will be.

    Raises:
        StartFailed: QEMU does not start.
        TemplateUnusable: it does not take the saved state.
        AgentUnavailable, AgentRefused: the guest did not take on its identity. The process is gone
            again after any of them.
    """
    archive = identities.archive(identity)
    guest = await GuestProcess.start(
        directory,
        template.shape,
        template.boot,
        archive,
        netns=netns,
        ram=Ram(template.ram, shared=False),
        incoming=True,
    )
    try:
        await _restore(guest.qmp, template.state)
        await _adopt(guest, archive, within)
    except BaseException:
        await guest.kill()
        raise
    return guest


def _reserve(path: Path, size: int) -> None:
    """Without room for a page that it writes, QEMU would be killed."""
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)


async def _agent_up(guest: GuestProcess) -> None:
    with guest.qmp.subscribe() as events:
        if not await guest.agent_open():
            await events.next("VSERPORT_CHANGE", match=lambda event: bool(event.data["open"]))
    while True:
        try:
            return await guest.agent.ping()
        except AgentUnavailable:  # each took its full timeout; the caller bounds them all
            continue


async def _adopt(guest: GuestProcess, files: bytes, within: float) -> None:
    """Patiently: on a busy machine the first answer takes seconds. Repeats are harmless."""
    agent = GuestAgent(Sockets(guest.directory).agent, timeout=within / 2)
    try:
        for last in (False, True):
            try:
                return await identities.adopt(agent, files, now=time.time(), within=within / 2)
            except AgentUnavailable:
                if last:
                    raise
    finally:
        await agent.close()


async def _save(qmp: Qmp, state: Path) -> None:
    await qmp.execute("stop")
    async with _outcome(qmp) as events:
        # The RAM is in its file already.
        await _capability(qmp, "x-ignore-shared", on=True)
        await qmp.execute("migrate", uri=f"exec:cat > {shlex.quote(str(state))}")
        if not await _completed(events):
            status = await qmp.execute("query-migrate")
            raise StartFailed(f"the template cannot be saved: {status.get('error-desc', status)}")


async def _restore(qmp: Qmp, state: Path) -> None:
    try:
        async with _outcome(qmp) as events:
            await _capability(qmp, "x-ignore-shared", on=True)
            await qmp.execute("migrate-incoming", uri=f"exec:cat < {shlex.quote(str(state))}")
            if not await _completed(events):
                raise TemplateUnusable(f"{state}: this QEMU does not take the saved state")
    except QmpClosed as exc:
        raise TemplateUnusable(f"{state}: QEMU ended over the saved state: {exc}") from exc
    # Left on, it would spoil a later live migration, whose target has no such file.
    await _capability(qmp, "x-ignore-shared", on=False)
    await qmp.execute("cont")


@asynccontextmanager
async def _outcome(qmp: Qmp) -> AsyncIterator[Events]:
    await _capability(qmp, "events", on=True)
    with qmp.subscribe() as events:
        yield events


async def _completed(events: Events) -> bool:
    final = ("completed", "failed")
    event = await events.next("MIGRATION", match=lambda event: event.data["status"] in final)
    return bool(event.data["status"] == "completed")


async def _capability(qmp: Qmp, name: str, *, on: bool) -> None:
    capabilities = [{"capability": name, "state": on}]
    await qmp.execute("migrate-set-capabilities", capabilities=capabilities)
