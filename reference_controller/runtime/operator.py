"""kopf as a watcher: events go into the store and wake keys of the work queue, nothing more.

No handler decides anything, so a lost, doubled or reordered event does no harm; a re-list every
minute repairs what events missed (design rule 1, FT-06).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import kopf
import structlog
import yaml

from reference_controller.api.kinds import Kind
from reference_controller.api.view import Object

from . import lifetime
from .client import ApiError, Client
from .queue import Key, Reconcile, WorkQueue
from .store import Store

log = structlog.get_logger()
RELIST_SECONDS = 60.0
WORKERS = 8
FIRST_LIST_PAUSE = 0.5
"""Seconds between attempts to list everything at start."""
FAREWELL_SECONDS = 0.3
WATCH_BACKOFFS = [0.1, 0.2, 0.3, *[0.5] * 600]
"""kopf's own list grows to 21 s of blindness, and a short one makes it exit (measured)."""


@dataclass(frozen=True)
class Watch:
    """One watched kind and the keys that an object of it wakes.

    `wakes` gets the view; for a changed object it is asked about the old and the new one.
    """

    kind: Kind
    wakes: Callable[[Any], Iterable[Key]]
    labels: dict[str, str] | None = None


class Operator:
    """Runs watches, workers and re-lists until it is told to stop.

    Args:
        kubeconfig: path of the file that says which API server to use, and as whom.
        registry: kopf's registry; a component that serves admission registers its handlers there.
    """

    def __init__(
        self,
        kubeconfig: str,
        client: Client,
        store: Store,
        watches: Iterable[Watch],
        reconcile: Reconcile,
        registry: kopf.OperatorRegistry | None = None,
        settings: kopf.OperatorSettings | None = None,
    ) -> None:
        self.queue = WorkQueue()
        self._kubeconfig = kubeconfig
        self._client = client
        self._store = store
        self._watches = tuple(watches)
        self._reconcile = reconcile
        self._registry = registry or kopf.OperatorRegistry()
        self._settings = settings or kopf.OperatorSettings()

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        quiet_libraries()
        settings = self._settings
        settings.posting.enabled = False
        settings.peering.standalone = True
        settings.networking.error_backoffs = WATCH_BACKOFFS
        kopf.on.login(registry=self._registry)(self._login)
        self._store.subscribe(self._changed)
        for watch in self._watches:
            self._register(watch)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        # What could not be listed is not known to be absent: no plan may see such a world.
        while not await self._relist():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), FIRST_LIST_PAUSE)
                return
        watching = asyncio.create_task(
            kopf.operator(
                registry=self._registry, settings=settings, standalone=True, clusterwide=True
            )
        )
        told = asyncio.create_task(stop.wait())
        tasks = [
            watching,
            asyncio.create_task(self._relist_for_ever()),
            *(asyncio.create_task(self.queue.work(self._reconcile)) for _ in range(WORKERS)),
        ]
        try:
            await lifetime.until_told(told, tasks)
        finally:
            for task in (told, *tasks):
                task.cancel()
            # Dying between any two writes is normal, so nothing that lingers is waited for:
            # kopf takes seconds to close its watches.
            await asyncio.wait(tasks, timeout=FAREWELL_SECONDS)

    def _register(self, watch: Watch) -> None:
        kind = watch.kind

        async def seen(event: Any, **_: Any) -> None:
            if event["type"] == "DELETED":
                self._store.remove(kind, event["object"])
            else:
                self._store.apply(kind, event["object"])

        kopf.on.event(
            kind.group,
            kind.version,
            kind.plural,
            id=kind.plural,
            labels=watch.labels,
            registry=self._registry,
        )(seen)

    def _changed(self, kind: Kind, old: Object | None, new: Object | None) -> None:
        """An own write wakes others at once: its event will have nothing new to say."""
        for watch in self._watches:
            if watch.kind == kind:
                self._wake(watch, old, new)

    def _wake(self, watch: Watch, *views: Object | None) -> None:
        for view in views:
            if view is not None:
                for key in watch.wakes(view):
                    self.queue.add(key)

    async def _relist_for_ever(self) -> None:
        while True:
            await asyncio.sleep(RELIST_SECONDS)  # noqa: TID251 - a period, not a wait
            await self._relist()

    async def _relist(self) -> bool:
        """Compare the store with whole lists and wake what differs, and what might be due.

        Returns:
            whether every kind was listed, or is not installed.
        """
        complete = True
        for watch in self._watches:
            try:
                await self._relist_kind(watch)
            except ApiError as error:
                # A kind that is not installed yet (FT-03) is empty until it is.
                log.info("cannot list", kind=str(watch.kind), error=str(error))
                complete &= error.not_found
            except (OSError, TimeoutError, aiohttp.ClientError) as error:
                log.warning("cannot list", kind=str(watch.kind), error=repr(error))
                complete = False
        return complete

    async def _relist_kind(self, watch: Watch) -> None:
        selector = ",".join(f"{key}={value}" for key, value in (watch.labels or {}).items())
        page = await self._client.list(watch.kind, labels=selector)
        listed = set()
        for body in page.items:
            meta = body["metadata"]
            listed.add((meta.get("namespace", ""), meta["name"]))
            _, new = self._store.apply(watch.kind, body)
            self._wake(watch, new)
        for identity in self._store.identities(watch.kind) - listed:
            self._store.forget(watch.kind, identity, page.resource_version)

    def _login(self, **_: Any) -> kopf.ConnectionInfo:
        content = yaml.safe_load(Path(self._kubeconfig).read_text())
        cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
        return kopf.ConnectionInfo(
            server=cluster["server"],
            ca_path=cluster.get("certificate-authority"),
            ca_data=cluster.get("certificate-authority-data"),
            scheme="Bearer" if user.get("token") else None,
            token=user.get("token"),
            certificate_data=user.get("client-certificate-data"),
            private_key_data=user.get("client-key-data"),
        )


def quiet_libraries() -> None:
    """kopf and aiohttp write a line per event or request; only their warnings are kept."""
    for name in ("kopf.objects", "kopf", "aiohttp.access"):
        logging.getLogger(name).setLevel(logging.WARNING)
