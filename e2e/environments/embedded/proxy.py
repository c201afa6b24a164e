"""`python -m e2e.environments.embedded.proxy`: stands between each component and the API server.

One process, one TLS listener a component. Requests pass as they are, with the component's own
token; watches stream. Faults are injected here (`proxy_rules`), so that they work on any
implementation. HTTP/1.1 only: every client falls back to it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import logging
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

from e2e.environments.embedded import json_lines, proxy_rules
from e2e.environments.embedded.proxy_rules import Rules

log = logging.getLogger("proxy")
_HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
_NOT_FORWARDED = _HOP_BY_HOP | {"host", "content-length"}
_ADDED_BY_LIBRARY = ("User-Agent", "Content-Type", "Accept", "Accept-Encoding")
IDLE_SECONDS = 300.0


class Proxy:
    """Forwards requests to one API server."""

    def __init__(self, server: str, rules: Rules, session: aiohttp.ClientSession) -> None:
        self._server = server
        self._rules = rules
        self._session = session

    async def handle(self, component: str, request: web.BaseRequest) -> web.StreamResponse:
        """Answers one request of `component`."""
        fault = self._rules.hit(component, request.method, request.raw_path)
        if fault is not None:
            rule = fault.rule
            log.info("%s: %s %s gets %s", component, request.method, request.raw_path, rule.id)
            if rule.delay:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(fault.released.wait(), rule.delay)
            if rule.hold:
                await fault.released.wait()
            if rule.cut:
                return self._cut(request)
            if rule.status:
                return web.json_response(_status(rule.status, rule.id), status=rule.status)
        try:
            return await self._forward(request)
        except (aiohttp.ClientError, TimeoutError) as error:
            if request.transport is None or request.transport.is_closing():
                raise
            log.warning("%s: %s %s: %r", component, request.method, request.raw_path, error)
            return self._cut(request)

    async def _forward(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = [(k, v) for k, v in request.headers.items() if k.lower() not in _NOT_FORWARDED]
        body = b"".join([part async for part in request.content.iter_any()])
        async with self._session.request(
            request.method,
            URL(self._server + request.raw_path, encoded=True),
            headers=headers,
            data=body or None,
            skip_auto_headers=_ADDED_BY_LIBRARY,
            allow_redirects=False,
        ) as upstream:
            answer = web.StreamResponse(status=upstream.status, reason=upstream.reason)
            for key, value in upstream.headers.items():
                if key.lower() not in _HOP_BY_HOP:
                    answer.headers.add(key, value)
            if upstream.headers.get("Content-Length") is None and request.method != "HEAD":
                answer.enable_chunked_encoding()
            await answer.prepare(request)
            async for part in upstream.content.iter_any():
                await answer.write(part)
            await answer.write_eof()
            return answer

    @staticmethod
    def _cut(request: web.BaseRequest) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)


def _status(code: int, rule_id: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "code": code,
        "reason": "InternalError" if code >= 500 else "Injected",
        "message": f"injected by the environment (rule {rule_id})",
    }


async def serve(
    server: str,
    upstream: ssl.SSLContext,
    serving: ssl.SSLContext,
    listeners: dict[str, socket.socket],
    rules_socket: Path,
) -> None:
    """Serves until it is cancelled."""
    rules = Rules()

    async def change(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return proxy_rules.change(rules, request)
        except ValueError as error:
            raise json_lines.Declined(str(error)) from error

    connector = aiohttp.TCPConnector(ssl=upstream, limit=0, keepalive_timeout=IDLE_SECONDS)
    timeout = aiohttp.ClientTimeout(total=None)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=connector, timeout=timeout, auto_decompress=False)
        )
        proxy = Proxy(server, rules, session)
        loop = asyncio.get_running_loop()
        for component, opened in listeners.items():
            handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
            handler = functools.partial(proxy.handle, component)
            protocol = web.Server(
                handler,
                handler_cancellation=True,
                keepalive_timeout=IDLE_SECONDS,
                access_log=None,
            )
            stack.push_async_callback(protocol.shutdown, 0.1)
            listening = await loop.create_server(protocol, sock=opened, ssl=serving)
            stack.callback(listening.close)
        stack.callback((await json_lines.serve(rules_socket, change)).close)
        await asyncio.Event().wait()


def main() -> int:
    """Parses the command line that the rig makes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--ca", required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--rules", required=True, type=Path)
    parser.add_argument("listeners", nargs="+", metavar="COMPONENT=DESCRIPTOR")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    serving.load_cert_chain(given.certificate, given.key)
    upstream = ssl.create_default_context(cafile=given.ca)
    listeners = {
        name: socket.socket(fileno=int(descriptor))
        for name, descriptor in (item.split("=") for item in given.listeners)
    }
    for opened in listeners.values():
        opened.setblocking(False)
    asyncio.run(serve(given.server, upstream, serving, listeners, given.rules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
