"""The proxy between a component and a real API server."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from e2e.environments.embedded import json_lines, ports, proxy
from tests.integration.environments.conftest import Kubectl, Started

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def token(kubectl: Kubectl) -> str:
    """Of a ServiceAccount that may do anything: the proxy's rights play no part."""
    assert kubectl("create", "serviceaccount", "proxied").returncode == 0
    binding = ("--clusterrole=cluster-admin", "--serviceaccount=default:proxied")
    assert kubectl("create", "clusterrolebinding", "proxied", *binding).returncode == 0
    return kubectl("create", "token", "proxied").stdout.strip()


@dataclass(frozen=True)
class Client:
    """Requests as a component makes them."""

    session: aiohttp.ClientSession
    server: str
    direct: str
    rules: Path

    async def send(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        async with self.session.request(method, self.server + path, **more) as answer:
            return answer.status, await answer.json()

    async def change(self, **message: Any) -> None:
        await asyncio.to_thread(json_lines.ask, self.rules, message)


@asynccontextmanager
async def proxied(started: Started, folder: Path, token: str) -> AsyncIterator[Client]:
    authority = started.server.authority
    pair = authority.server("test-proxy")
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    serving.load_cert_chain(pair.certificate, pair.key)
    trusted = authority.client_context()
    opened = ports.listening()
    opened.setblocking(False)
    server = f"https://127.0.0.1:{ports.number(opened)}"
    rules = folder / "rules"
    task = asyncio.create_task(
        proxy.serve(started.server.url, trusted, serving, {"vm": opened}, rules)
    )
    connector = aiohttp.TCPConnector(ssl=trusted)
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
        client = Client(session, server, started.server.url, rules)
        await client.send("GET", "/version")
        yield client
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


Act = Callable[[Client], Awaitable[None]]


@pytest.fixture
def through(started: Started, tmp_path: Path, token: str) -> Callable[[Act], None]:
    """Runs a coroutine with a client of a running proxy."""

    def run(act: Act) -> None:
        async def main() -> None:
            async with asyncio.timeout(50), proxied(started, tmp_path, token) as client:
                await act(client)

        asyncio.run(main())

    return run


def config(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": {"text": "x" * 5000}}


def test_requests_pass_with_the_components_own_identity(through: Callable[[Act], None]) -> None:
    async def act(client: Client) -> None:
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        _, answer = await client.send("POST", path, json=review)
        assert answer["status"]["userInfo"]["username"] == "system:serviceaccount:default:proxied"
        status, made = await client.send("POST", CONFIGMAPS, json=config("passes"))
        assert (status, made["data"]["text"]) == (201, "x" * 5000)
        status, _ = await client.send("GET", f"{CONFIGMAPS}/none%20such")
        assert status == 404

    through(act)


def test_an_unknown_caller_stays_unknown(through: Callable[[Act], None]) -> None:
    async def act(client: Client) -> None:
        status, _ = await client.send("GET", CONFIGMAPS, headers={"Authorization": "Bearer x"})
        assert status == 401

    through(act)


def test_a_watch_streams(through: Callable[[Act], None]) -> None:
    async def act(client: Client) -> None:
        query = {"watch": "true", "fieldSelector": "metadata.name=streamed"}
        async with client.session.get(client.server + CONFIGMAPS, params=query) as events:
            await client.send("POST", CONFIGMAPS, json=config("streamed"))
            event = json.loads(await events.content.readline())
            assert event["type"] == "ADDED"
            assert event["object"]["metadata"]["name"] == "streamed"

    through(act)


def test_an_injected_error_comes_as_often_as_it_was_asked_for(
    through: Callable[[Act], None],
) -> None:
    async def act(client: Client) -> None:
        rule = {"id": "e", "component": "vm", "path": "/configmaps", "status": 503, "times": 2}
        await client.change(do="add", rule=rule)
        statuses = [(await client.send("GET", CONFIGMAPS))[0] for _ in range(3)]
        assert statuses == [503, 503, 200]

    through(act)


def test_a_held_request_goes_on_when_its_rule_is_taken_away(
    through: Callable[[Act], None],
) -> None:
    async def act(client: Client) -> None:
        await client.change(do="add", rule={"id": "h", "method": "POST", "hold": True})
        made = asyncio.create_task(client.send("POST", CONFIGMAPS, json=config("held")))
        for _ in range(5):
            status, _ = await client.send("GET", f"{CONFIGMAPS}/held")
            assert status == 404
        assert not made.done()
        await client.change(do="remove", id="h")
        assert (await made)[0] == 201

    through(act)


def test_a_cut_connection_is_no_answer(through: Callable[[Act], None]) -> None:
    async def act(client: Client) -> None:
        await client.change(do="add", rule={"id": "c", "cut": True, "times": 1})
        with pytest.raises(aiohttp.ClientError):
            await client.send("POST", CONFIGMAPS, json=config("cut"))
        assert (await client.send("GET", f"{CONFIGMAPS}/cut"))[0] == 404

    through(act)


def test_a_delayed_request_arrives_late(through: Callable[[Act], None]) -> None:
    async def act(client: Client) -> None:
        await client.change(do="add", rule={"id": "d", "delay": 0.3, "times": 1})
        began = time.monotonic()
        assert (await client.send("GET", CONFIGMAPS))[0] == 200
        assert time.monotonic() - began >= 0.3

    through(act)


def test_the_proxy_costs_little(through: Callable[[Act], None]) -> None:
    async def act(client: Client) -> None:
        direct: list[float] = []
        detour: list[float] = []
        for _ in range(200):
            for server, times in ((client.direct, direct), (client.server, detour)):
                began = time.perf_counter()
                async with client.session.get(f"{server}{CONFIGMAPS}?limit=1") as answer:
                    await answer.read()
                times.append(time.perf_counter() - began)
        # The least of many: what others do to the machine meanwhile is not the proxy's cost.
        assert min(detour) - min(direct) < 0.002

    through(act)
