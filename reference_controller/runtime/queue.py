"""The work queue: a key is never worked on twice at once and never forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp
import structlog

from .client import ApiError

log = structlog.get_logger()
Key = tuple[str, ...]
"""What is reconciled: namespace and name; a component with several sorts puts the sort first."""

CONFLICT_PAUSE = 0.05
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
MOST_DOUBLINGS = 16


@dataclass(frozen=True)
class Outcome:
    """What a pass wants next: nothing, or another pass after `again_after` seconds."""

    again_after: float | None = None


Reconcile = Callable[[Key], Awaitable[Outcome]]


class WorkQueue:
    """Keys to reconcile; events that come while a key is worked on coalesce into one more pass."""

    def __init__(self) -> None:
        self._ready: asyncio.Queue[Key] = asyncio.Queue()
        self._dirty: set[Key] = set()
        self._busy: set[Key] = set()
        self._failures: dict[Key, int] = {}
        self._timers: dict[Key, asyncio.TimerHandle] = {}

    def add(self, key: Key) -> None:
        """Ask for a pass over `key` as soon as a worker is free."""
        if key in self._dirty:
            return
        self._dirty.add(key)
        if key not in self._busy:
            self._ready.put_nowait(key)

    def add_later(self, key: Key, seconds: float) -> None:
        """Ask for a pass after `seconds`; an earlier request of this kind is kept."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(key)
        if timer is not None and not timer.cancelled():
            if timer.when() <= loop.time() + seconds:
                return
            timer.cancel()
        self._timers[key] = loop.call_later(seconds, self._fire, key)

    async def work(self, reconcile: Reconcile) -> None:
        """Serve keys for ever. Several workers may run; a failed pass comes again with back-off."""
        while True:
            key = await self._ready.get()
            self._dirty.discard(key)
            self._busy.add(key)
            try:
                await self._one(key, reconcile)
            finally:
                self._busy.discard(key)
                if key in self._dirty:
                    self._ready.put_nowait(key)

    async def _one(self, key: Key, reconcile: Reconcile) -> None:
        try:
            outcome = await reconcile(key)
        except ApiError as error:
            pause = self._pause(key, CONFLICT_PAUSE if error.conflict else FIRST_PAUSE)
            log.info("pass failed", key=key, error=str(error), again_after=pause)
            self.add_later(key, pause)
        except (OSError, TimeoutError, aiohttp.ClientError) as error:
            pause = self._pause(key, FIRST_PAUSE)
            log.warning("no answer", key=key, error=repr(error), again_after=pause)
            self.add_later(key, pause)
        except Exception:  # a defect in one pass must not end the worker (SE-03)
            pause = self._pause(key, FIRST_PAUSE)
            log.exception("pass broke", key=key, again_after=pause)
            self.add_later(key, pause)
        else:
            self._failures.pop(key, None)
            if outcome.again_after is not None:
                self.add_later(key, outcome.again_after)

    def _pause(self, key: Key, first: float) -> float:
        count = self._failures.get(key, 0)
        # Doubling beyond the longest pause says nothing more, and would overflow after hours.
        self._failures[key] = min(count + 1, MOST_DOUBLINGS)
        return float(min(first * 2**count, LONGEST_PAUSE))

    def _fire(self, key: Key) -> None:
        self._timers.pop(key, None)
        self.add(key)
