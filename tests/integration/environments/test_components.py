"""Components that end, are replaced, are stopped; with real processes and no API server."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

from e2e.environments.embedded.components import Component
from e2e.environments.embedded.kube_api import KubeApi
from e2e.environments.embedded.recipes import Recipe
from e2e.environments.embedded.supervisor import Supervisor

SLEEP = ("sleep", "60")


def trial(
    folder: Path, argv: tuple[str, ...], act: Callable[[Component], Awaitable[None]]
) -> list[str]:
    """Runs `act` on a kept component; returns what was noted."""
    notes: list[str] = []

    async def main() -> None:
        supervisor = Supervisor(folder)
        component = Component(
            Recipe("vm", "vm", argv, {"SETTING": "1"}),
            kubeconfig=folder / "kubeconfig",
            cert_dir=folder,
            environ={"PATH": "/usr/bin:/bin"},
            supervisor=supervisor,
            api=KubeApi("https://127.0.0.1:1", ssl.create_default_context()),
            note=notes.append,
        )
        await component.start()
        keeper = asyncio.create_task(component.keep())
        try:
            async with asyncio.timeout(20):
                await act(component)
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            for child in supervisor.children:
                child.kill(signal.SIGKILL)
            await asyncio.gather(*(child.exited for child in supervisor.children))

    asyncio.run(main())
    return notes


def test_a_component_that_ends_is_started_again_on_another_port(tmp_path: Path) -> None:
    async def act(component: Component) -> None:
        first = component.state.port
        await component.started(3)
        assert component.state.port != first
        assert component.state.last_exit == 4

    notes = trial(tmp_path, ("sh", "-c", "exit 4"), act)
    assert notes == ["vm ended with status 4 (start 1); it is restarted"]


def test_restarts_come_ever_later(tmp_path: Path) -> None:
    async def act(component: Component) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await component.started(4)
        assert loop.time() - began >= 0.2 + 0.4 + 0.8

    trial(tmp_path, ("false",), act)


def test_a_component_can_be_replaced_and_be_itself_again(tmp_path: Path) -> None:
    async def act(component: Component) -> None:
        child = component.child
        assert child is not None
        out = tmp_path / "out"
        script = (
            f"echo {{kubeconfig}} $SETTING $MORE > {out}.new; mv {out}.new {out}; exec sleep 60"
        )
        await component.replace(("sh", "-c", script), {"MORE": "2"})
        await component.started(1)
        assert not child.alive
        while not out.exists():
            assert component.child is not None
            await component.child.within(0.05)
        assert out.read_text() == f"{tmp_path}/kubeconfig 1 2\n"
        await component.replace(None, {})
        await component.started(1)
        assert component.recipe.argv == SLEEP
        assert "MORE" not in component.recipe.environ

    trial(tmp_path, SLEEP, act)


def test_a_stopped_component_stays_down_until_it_is_wanted(tmp_path: Path) -> None:
    async def act(component: Component) -> None:
        await component.stop(signal.SIGKILL)
        assert component.child is not None
        assert component.child.exited.result() == -signal.SIGKILL
        assert not component.alive
        component.resume()
        await component.started(2)
        assert component.alive

    assert trial(tmp_path, SLEEP, act) == []


def test_a_component_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    stubborn = ("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")

    async def act(component: Component) -> None:
        await component.stop()
        assert not component.alive

    trial(tmp_path, stubborn, act)
