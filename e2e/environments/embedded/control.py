"""Asking a running rig for something, over its socket.

    {"do": "status"}
    {"do": "replace", "component": NAME, "argv": [...] or null, "environ": {...}}
    {"do": "stop" | "kill" | "start", "component": NAME}
    {"do": "webhooks", "component": NAME, "registered": true | false}

Every answer holds the state of all components. `RigControl` is the caller's side.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.environments.embedded import json_lines, readiness
from e2e.environments.embedded.bring_up import Running
from e2e.environments.embedded.components import Component
from e2e.environments.embedded.json_lines import Declined, Json
from e2e.environments.embedded.kube_api import NO_ANSWER, ApiRefused
from e2e.environments.embedded.trouble import BringUpFailed

START_SECONDS = 10.0


@dataclass(frozen=True)
class RigControl:
    """A running rig's socket, from outside.

    Every method raises json_lines.Declined when the rig says no and OSError when it is gone.
    """

    path: Path

    def status(self) -> Json:
        """State of each component by name: alive, starts, last_exit, port, argv."""
        return self._ask(do="status")

    def replace(
        self,
        component: str,
        argv: Sequence[str] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Json:
        """Restarts one component with another command, or with its own again (None).

        The command may hold the placeholders {python} {kubeconfig} {cert_dir} {webhook_port}.
        Returns when it is started and its webhooks, where it has any, answer again.
        """
        words = list(argv) if argv is not None else None
        return self._ask(do="replace", component=component, argv=words, environ=dict(environ or {}))

    def stop(self, component: str) -> Json:
        """Ends a component (SIGTERM) and leaves it down."""
        return self._ask(do="stop", component=component)

    def kill(self, component: str) -> Json:
        """Ends a component (SIGKILL) and leaves it down."""
        return self._ask(do="kill", component=component)

    def start(self, component: str) -> Json:
        """Starts a component that is down."""
        return self._ask(do="start", component=component)

    def webhooks(self, component: str, *, registered: bool) -> Json:
        """Registers or removes the webhooks of a component."""
        return self._ask(do="webhooks", component=component, registered=registered)

    def _ask(self, **request: Any) -> Json:
        answer: Json = json_lines.ask(self.path, request)["components"]
        return answer


class ControlServer:
    """The rig's side."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._components = {component.name: component for component in running.components}

    async def answer(self, request: Json) -> Json:
        """Does what is asked.

        Raises:
            Declined: the request makes no sense, or its component does not come up.
        """
        try:
            await self._do(request)
        except (BringUpFailed, ApiRefused, *NO_ANSWER) as error:
            raise Declined(f"{request.get('do')} {request.get('component')}: {error}") from error
        return {"components": {name: _state(item) for name, item in self._components.items()}}

    async def _do(self, request: Json) -> None:
        if request.get("do") == "status":
            return
        component = self._components.get(str(request.get("component")))
        if component is None:
            known = ", ".join(self._components)
            raise Declined(f"no component {request.get('component')!r}; there are {known}")
        match request:
            case {"do": "replace", "argv": argv, "environ": dict(environ)}:
                await component.replace(tuple(argv) if argv is not None else None, environ)
                await self._up(component, 1)
            case {"do": "stop"}:
                await component.stop()
            case {"do": "kill"}:
                await component.stop(signal.SIGKILL)
            case {"do": "start"}:
                times = component.state.starts
                component.resume()
                await self._up(component, times if component.alive else times + 1)
            case {"do": "webhooks", "registered": bool(registered)} if component.registration:
                if registered:
                    await component.registration.register(self._running.api, component.state.port)
                else:
                    await component.registration.remove(self._running.api)
            case _:
                raise Declined(f"a rig cannot do {request!r}")

    async def _up(self, component: Component, times: int) -> None:
        """Waits until it has been started so often, and its webhooks, if any, answer."""
        async with asyncio.timeout(START_SECONDS):
            await component.started(times)
        if component.registration is not None:
            await readiness.webhooks_answer(self._running.api, component)


def _state(component: Component) -> Json:
    return {
        "alive": component.alive,
        "starts": component.state.starts,
        "last_exit": component.state.last_exit,
        "port": component.state.port,
        "argv": list(component.recipe.argv),
    }
