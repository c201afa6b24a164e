"""The node's registration and the renewal of its Lease, without which it counts as gone."""

from __future__ import annotations

import asyncio
import datetime

import aiohttp
import structlog

from reference_controller.api import kinds
from reference_controller.node.plan import node as plan
from reference_controller.runtime.client import ApiError, Client
from reference_controller.runtime.executor import now

log = structlog.get_logger()
RENEWAL_SECONDS = 10.0
RETRY_SECONDS = 1.0


class Heartbeat:
    """Keeps one Node and its Lease as they should be."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name

    async def register(self) -> None:
        """Create the Node or repair it. ApiError, OSError, TimeoutError."""
        stored = await self._client.get(kinds.NODE, "", self._name)
        if stored is None:
            stored = await self._client.create(kinds.NODE, plan.node(self._name))
        elif marks := plan.marks(self._name, stored):
            stored = await self._client.patch(kinds.NODE, "", self._name, marks)
        if status := plan.status(stored, now()):
            await self._client.patch(kinds.NODE, "", self._name, status, status=True)

    async def renew(self) -> None:
        """Renew the Lease, making it if need be. ApiError, OSError, TimeoutError."""
        moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        body = plan.lease(self._name, moment)
        namespace = plan.LEASE_NAMESPACE
        try:
            await self._client.patch(kinds.LEASE, namespace, self._name, {"spec": body["spec"]})
        except ApiError as error:
            if not error.not_found:
                raise
            await self._client.create(kinds.LEASE, body)

    async def run(self) -> None:
        """Renew for ever."""
        while True:
            pause = RENEWAL_SECONDS
            try:
                await self.renew()
                await self.register()
            except (ApiError, OSError, TimeoutError, aiohttp.ClientError) as error:
                log.warning("node not renewed", node=self._name, error=str(error))
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)  # noqa: TID251 - a period, not a wait
