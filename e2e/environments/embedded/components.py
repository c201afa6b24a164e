"""Keeps components running: start, restart with back-off, webhooks at each start."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from e2e.environments.embedded import manifests, ports, webhooks
from e2e.environments.embedded.kube_api import NO_ANSWER, ApiRefused, KubeApi
from e2e.environments.embedded.recipes import Recipe
from e2e.environments.embedded.supervisor import Child, Supervisor
from e2e.environments.embedded.trouble import BringUpFailed, how

BACKOFF_FIRST = 0.2
BACKOFF_MOST = 5.0
SETTLED_SECONDS = 10.0
"""Who ran that long starts with the first back-off again."""
STOP_SECONDS = 5.0


@dataclass(frozen=True)
class Registration:
    """Webhook configurations of a component, registered anew at each start of it."""

    documents: tuple[Mapping[str, Any], ...]
    ca_base64: str

    async def register(self, api: KubeApi, port: int) -> None:
        """Points the API server at `port`."""
        for document in webhooks.at((dict(item) for item in self.documents), port, self.ca_base64):
            await api.apply(manifests.path(document), document)

    async def remove(self, api: KubeApi) -> None:
        """Takes the configurations away, as before cleaning up behind a subject that is down."""
        for document in self.documents:
            try:
                await api.request("DELETE", manifests.path(dict(document)))
            except ApiRefused as refused:
                if refused.status != 404:
                    raise


@dataclass
class State:
    """What is known of a component now."""

    starts: int = 0
    last_exit: int | None = None
    port: int = 0


class Component:
    """One component of a rig.

    Args:
        environ: of the process, complete.
        note: told what a user of the rig should know.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        kubeconfig: Path,
        cert_dir: Path,
        environ: Mapping[str, str],
        supervisor: Supervisor,
        api: KubeApi,
        note: Callable[[str], None],
        registration: Registration | None = None,
    ) -> None:
        self.recipe = recipe
        self.state = State()
        self.registration = registration
        self._original = recipe
        self._kubeconfig = kubeconfig
        self._cert_dir = cert_dir
        self._environ = environ
        self._supervisor = supervisor
        self._api = api
        self._note = note
        self._child: Child | None = None
        self._asked_to_end: Child | None = None
        self._changed = asyncio.Event()
        self._news = asyncio.Event()
        self._wanted = True

    @property
    def name(self) -> str:
        return self.recipe.name

    @property
    def child(self) -> Child | None:
        """The running process, or the last one."""
        return self._child

    @property
    def alive(self) -> bool:
        return self._child is not None and self._child.alive

    async def start(self) -> None:
        """Starts the process once and registers its webhooks.

        Raises:
            BringUpFailed: it cannot be started, or the API server refuses its webhooks.
        """
        (self.state.port,) = ports.free(1)
        if self.registration is not None:
            try:
                await self.registration.register(self._api, self.state.port)
            except ApiRefused as refused:
                raise BringUpFailed(f"webhooks of {self.name}", str(refused)) from refused
        argv = self.recipe.command(self._kubeconfig, self._cert_dir, self.state.port)
        environ = {**self._environ, **self.recipe.environ}
        self._child = self._supervisor.start(self.name, argv, environ=environ)
        self.state.starts += 1
        self._news.set()
        self._news = asyncio.Event()

    async def started(self, times: int) -> None:
        """Waits until it has been started so often."""
        while self.state.starts < times:
            await self._news.wait()

    async def keep(self) -> None:
        """Restarts the process whenever it ends, until cancelled."""
        loop = asyncio.get_running_loop()
        backoff = BACKOFF_FIRST
        while True:
            since = loop.time()
            if self._child is not None:
                await asyncio.wait({self._child.exited})
                self._ended(self._child)
            if loop.time() - since > SETTLED_SECONDS:
                backoff = BACKOFF_FIRST
            if await self._change_within(backoff if self._wanted else None):
                backoff = BACKOFF_FIRST
            else:
                backoff = min(2 * backoff, BACKOFF_MOST)
            if self._wanted:
                await self._start_again()

    async def replace(self, argv: tuple[str, ...] | None, environ: Mapping[str, str]) -> None:
        """Ends the process and starts it with another command; None for the original one."""
        chosen = self._original if argv is None else replace(self._original, argv=argv)
        self.recipe = replace(chosen, environ={**self._original.environ, **environ})
        self._wanted = True
        await self._end(signal.SIGTERM)
        # How often the former command was started says nothing about this one.
        self.state.starts = 0
        self._changed.set()

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends the process and leaves it so until it is asked to start again."""
        self._wanted = False
        await self._end(number)

    def resume(self) -> None:
        """Starts it again after `stop`."""
        self._wanted = True
        self._changed.set()

    async def _end(self, number: signal.Signals) -> None:
        child = self._child
        if child is None or not child.alive:
            return
        self._asked_to_end = child
        child.kill(number)
        if not await child.within(STOP_SECONDS):
            child.kill(signal.SIGKILL)
            await child.within(STOP_SECONDS)

    async def _start_again(self) -> None:
        try:
            await self.start()
        except (BringUpFailed, *NO_ANSWER) as failure:
            self._child = None
            self._note(f"{self.name} cannot be started again: {failure}")

    async def _change_within(self, seconds: float | None) -> bool:
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False
        self._changed.clear()
        return True

    def _ended(self, child: Child) -> None:
        code = child.exited.result()
        self.state.last_exit = code
        if child is not self._asked_to_end and self.state.starts in (1, 10, 100):
            self._note(f"{self.name} {how(code)} (start {self.state.starts}); it is restarted")
