"""One pass over one key: look, act, look again, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reference_controller.node.plan import decision, network
from reference_controller.node.plan.world import MAIN_BRIDGE
from reference_controller.runtime.executor import Executor
from reference_controller.runtime.queue import Key, Outcome

from .gather import Gatherer
from .performer import RETRY_SECONDS, Performer

POD = "pod"
NETWORK = "network"


class Reconciler:
    """Serves the keys `(POD, uid)` and `(NETWORK, bridge)`.

    What is reported is looked at after the actions, so a report never runs ahead of the facts.
    """

    gatherer: Gatherer
    performer: Performer
    wake: Callable[[Key], None]

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def run(self, key: Key) -> Outcome:
        """One pass. ApiError, OSError, TimeoutError: the queue comes again."""
        sort, value = key
        return await (self._pod(value) if sort == POD else self._network(value))

    async def _pod(self, uid: str) -> Outcome:
        world = await self.gatherer.pod(uid)
        wanted = decision.act(world)
        again = await self.performer.pod(world, wanted)
        if wanted:
            bridges = {tap.bridge for tap in world.taps.values()}
            world = await self.gatherer.pod(uid)
            left = bridges - {tap.bridge for tap in world.taps.values()}
            for bridge in left - {MAIN_BRIDGE}:
                self.wake((NETWORK, bridge))
        outcome = await self._executor.carry_out(decision.report(world))
        return Outcome(again) if again is not None else outcome

    async def _network(self, bridge: str) -> Outcome:
        world = await self.gatherer.network(bridge)
        trouble = ""
        if wanted := network.act(world):
            trouble = await self.performer.network(world, wanted)
            world = replace(await self.gatherer.network(bridge), trouble=trouble)
            for uid in self.gatherer.waiting_for(bridge):
                self.wake((POD, uid))
        outcome = await self._executor.carry_out(network.report(world))
        return Outcome(RETRY_SECONDS) if trouble else outcome
