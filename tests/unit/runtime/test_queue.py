"""A key is never worked on twice at once, never forgotten, and a broken pass comes again."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from reference_controller.runtime import queue as queues
from reference_controller.runtime.client import ApiError
from reference_controller.runtime.queue import Key, Outcome, WorkQueue

KEY = ("ns", "vm")


def run(scenario: Callable[[WorkQueue], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(30):  # only so that a lost key ends the test
            await scenario(WorkQueue())

    asyncio.run(bounded())


async def serve(queue: WorkQueue, passes: int, act: Callable[[int], Awaitable[Outcome]]) -> int:
    """Work with two workers until `passes` passes were made; the most passes at one time."""
    done, count, running, most = asyncio.Event(), 0, 0, 0

    async def reconcile(_: Key) -> Outcome:
        nonlocal count, running, most
        running += 1
        most = max(most, running)
        count += 1
        number = count
        try:
            return await act(number)
        finally:
            running -= 1
            if number >= passes:
                done.set()

    workers = [asyncio.create_task(queue.work(reconcile)) for _ in range(2)]
    await done.wait()
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    return most


def test_events_during_a_pass_cause_exactly_one_more_and_none_beside_it() -> None:
    async def scenario(queue: WorkQueue) -> None:
        async def act(number: int) -> Outcome:
            if number == 1:
                for _ in range(5):
                    queue.add(KEY)
                    await asyncio.sleep(0)  # noqa: TID251 - lets the other worker try
            return Outcome()

        queue.add(KEY)
        assert await serve(queue, 2, act) == 1

    run(scenario)


@pytest.mark.parametrize(
    "error", [ApiError("PATCH", "/x", 409, "Conflict", "changed"), OSError("cut"), KeyError("bug")]
)
def test_a_failed_pass_comes_again(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "FIRST_PAUSE", 0.01)

    async def scenario(queue: WorkQueue) -> None:
        async def act(number: int) -> Outcome:
            if number == 1:
                raise error
            return Outcome()

        queue.add(KEY)
        await serve(queue, 2, act)

    run(scenario)


def test_a_pass_may_ask_for_a_later_one() -> None:
    async def scenario(queue: WorkQueue) -> None:
        async def act(_: int) -> Outcome:
            return Outcome(again_after=0.01)

        queue.add(KEY)
        await serve(queue, 3, act)

    run(scenario)


def test_failing_for_hours_does_not_end_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(queues, "LONGEST_PAUSE", 0.0)

    async def scenario(queue: WorkQueue) -> None:
        async def act(_: int) -> Outcome:
            raise OSError("still down")

        queue.add(KEY)
        await serve(queue, 1100, act)

    run(scenario)
