"""How long a component lives: until it is told to stop, or until a part of it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any


class PartEnded(RuntimeError):
    """A task that should serve for ever has returned."""


async def until_told(told: asyncio.Task[Any], parts: Sequence[asyncio.Task[Any]]) -> None:
    """Wait for `told`; no part may end before it.

    A component without its workers or its re-list looks alive and does nothing, so it ends as a
    whole and its environment starts it again.

    Raises:
        PartEnded: a part returned. What a part raised is raised as it is.
    """
    done, _ = await asyncio.wait((told, *parts), return_when=asyncio.FIRST_COMPLETED)
    if told in done:
        return
    for part in parts:
        if part in done:
            await part
            raise PartEnded(f"{part.get_coro()!r} has ended; it should serve for ever")
