"""A component ends when it is told to, or as a whole when a part of it dies."""

import asyncio

import pytest

from reference_controller.runtime import lifetime


async def live(*, told: bool = False, error: Exception | None = None, ends: bool = False) -> None:
    async def part() -> None:
        if error is not None:
            raise error
        if not ends:
            await asyncio.Event().wait()

    async def stop() -> None:
        if not told:
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(part()), asyncio.create_task(asyncio.Event().wait())]
    telling = asyncio.create_task(stop())
    try:
        async with asyncio.timeout(30):  # only so that a part that is forgotten ends the test
            await lifetime.until_told(telling, tasks)
    finally:
        for task in (telling, *tasks):
            task.cancel()
        await asyncio.gather(telling, *tasks, return_exceptions=True)


def test_being_told_is_a_good_end() -> None:
    asyncio.run(live(told=True))


def test_the_death_of_a_part_is_the_component_s() -> None:
    with pytest.raises(KeyError, match="bug"):
        asyncio.run(live(error=KeyError("bug")))


def test_a_part_that_returns_has_ended_too() -> None:
    with pytest.raises(lifetime.PartEnded, match="serve for ever"):
        asyncio.run(live(ends=True))
