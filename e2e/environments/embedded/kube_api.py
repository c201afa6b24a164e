"""The rig's own line to the API server: plain JSON over asyncio.

The rig is PID 1 and answers signals and children meanwhile, so it cannot use the suite's
synchronous client.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import aiohttp

Json = dict[str, Any]
Objects = Mapping[str, Json]
"""Objects of one collection by name."""

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
WATCH_SECONDS = 60
REQUEST_SECONDS = 30.0


class ApiRefused(Exception):
    """The API server answered with an error.

    Attributes:
        status: HTTP status.
    """

    def __init__(self, request: str, status: int, message: str) -> None:
        super().__init__(f"{request}: {status} {message}")
        self.status = status
        self.message = message


class KubeApi:
    """One API server, as an administrator. An async context manager.

    Every method raises ApiRefused for an answer of 400 and above, aiohttp.ClientError, OSError or
    TimeoutError where no answer came.
    """

    def __init__(self, server: str, tls: ssl.SSLContext) -> None:
        self._server = server
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(ssl=self._tls, limit=0)
        timeout = aiohttp.ClientTimeout(total=None, sock_read=REQUEST_SECONDS)
        self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Json:
        """One request; the answer's object, empty where it is no JSON."""
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type, "Accept": "application/json"}
        async with self._http.request(
            method, self._server + path, data=data, params=query, headers=headers
        ) as answer:
            text = await answer.text()
            if answer.status >= 400:
                raise ApiRefused(f"{method} {path}", answer.status, _message(text))
            if answer.content_type != "application/json":
                return {}
            parsed: Json = json.loads(text)
            return parsed

    async def apply(self, path: str, body: Mapping[str, Any]) -> Json:
        """Server-side apply of one object, taking over fields that others own."""
        query = {"fieldManager": "plumbline", "force": "true"}
        return await self.request("PATCH", path, body, query=query, content_type=APPLY)

    async def until(
        self,
        collection: str,
        holds: Callable[[Objects], bool],
        *,
        query: Mapping[str, str] | None = None,
    ) -> None:
        """Follows a collection until `holds`; for ever, so put a timeout around it."""
        while True:
            page = await self.request("GET", collection, query=query)
            seen = {str(item["metadata"]["name"]): item for item in page.get("items") or ()}
            if holds(seen):
                return
            version = str(page["metadata"]["resourceVersion"])
            if await self._watch(collection, version, seen, holds, query or {}):
                return

    async def _watch(
        self,
        collection: str,
        version: str,
        seen: dict[str, Json],
        holds: Callable[[Objects], bool],
        query: Mapping[str, str],
    ) -> bool:
        asked = {
            **query,
            "watch": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(WATCH_SECONDS),
        }
        timeout = aiohttp.ClientTimeout(total=None, sock_read=WATCH_SECONDS + 10.0)
        async with self._http.get(
            self._server + collection, params=asked, timeout=timeout
        ) as answer:
            if answer.status >= 400:
                raise ApiRefused(
                    f"watch {collection}", answer.status, _message(await answer.text())
                )
            while line := await answer.content.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return False
                name = str(event["object"]["metadata"]["name"])
                if event["type"] == "DELETED":
                    seen.pop(name, None)
                else:
                    seen[name] = event["object"]
                if holds(seen):
                    return True
        return False

    @property
    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("KubeApi is used outside its `async with` block")
        return self._session


def _message(text: str) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text.strip()[:500]


NO_ANSWER = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
"""What a request raises when the server does not answer."""
