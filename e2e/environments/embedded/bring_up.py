"""The order in which a rig comes up."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from e2e.environments.embedded import (
    accounts,
    description,
    kubeconfig,
    network,
    objects,
    ports,
    readiness,
    recipes,
    settings,
    webhooks,
)
from e2e.environments.embedded.certificates import ssh_key
from e2e.environments.embedded.components import Component, Registration
from e2e.environments.embedded.control_plane import ControlPlaneProcesses, Server
from e2e.environments.embedded.events import Reporter
from e2e.environments.embedded.kube_api import KubeApi
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.options import Options
from e2e.environments.embedded.recipes import Recipe
from e2e.environments.embedded.supervisor import Child, Supervisor


@dataclass(frozen=True)
class Running:
    """A rig that is up.

    Attributes:
        servers: processes that are restarted as they are.
        api: open for as long as the rig lives.
        keepers: the tasks that restart components.
        listeners: the proxy's, held for its next start.
    """

    api: KubeApi
    components: tuple[Component, ...]
    servers: tuple[Child, ...]
    keepers: tuple[asyncio.Task[None], ...]
    listeners: tuple[socket.socket, ...]


class BringUp:
    """Brings one rig up; whatever fails is a BringUpFailed or ManifestUnusable.

    Args:
        note: told what happens to components, also later.
        stack: closes what the rig holds open.
    """

    def __init__(
        self,
        options: Options,
        layout: Layout,
        supervisor: Supervisor,
        reporter: Reporter,
        note: Callable[[str], None],
        stack: AsyncExitStack,
    ) -> None:
        self._options = options
        self._layout = layout
        self._supervisor = supervisor
        self._reporter = reporter
        self._note = note
        self._stack = stack
        self._recipes = [
            recipes.implementation(options.argv),
            *recipes.platform(options.guest, layout),
        ]
        self._listeners = {recipe.name: ports.listening() for recipe in self._recipes}

    async def run(self) -> Running:
        """All of it; returns when the environment is fit for use."""
        options, layout = self._options, self._layout
        processes = ControlPlaneProcesses(options.binaries, layout, self._supervisor)
        host_key = self._make_keys()
        with self._reporter.stage("API server"):
            server, _ = await asyncio.gather(
                processes.start_api(options.name), network.make_hub(layout, self._supervisor)
            )
        api = await self._stack.enter_async_context(server.api())
        with self._reporter.stage("CRDs and accounts"):
            tokens, _ = await asyncio.gather(self._accounts(api), objects.install_crds(api))
        manager = processes.start_controllers(server)
        with self._reporter.stage("components"):
            await objects.make_class_and_image(api)
            proxy, components = self._components(server, api, tokens)
            await asyncio.gather(*(component.start() for component in components))
        keepers = tuple(asyncio.create_task(component.keep()) for component in components)
        with self._reporter.stage("readiness"):
            await self._ready(api, components, manager)
        text = description.describe(
            name=options.name,
            pid=options.pid,
            controller=options.controller,
            host_key=host_key,
            binaries=options.binaries,
            guest=options.guest,
        )
        layout.description.write_text(description.to_toml(text))
        listeners = tuple(self._listeners.values())
        return Running(api, components, (manager, proxy), keepers, listeners)

    def _make_keys(self) -> str:
        """Keys for guests and for those who log in; returns the guests' public one."""
        login = ssh_key(self._layout.ssh_key)
        (self._layout.identity / "authorized_keys").write_text(login + "\n")
        return ssh_key(self._layout.identity / "host_key")

    async def _accounts(self, api: KubeApi) -> dict[str, str]:
        await accounts.apply_roles(api)
        if self._options.controller:
            await accounts.grant_everything(api, recipes.IMPLEMENTATION)
        return await accounts.tokens(api, {recipe.account for recipe in self._recipes})

    def _components(
        self, server: Server, api: KubeApi, tokens: dict[str, str]
    ) -> tuple[Child, tuple[Component, ...]]:
        proxy = self._proxy(server)
        cert_dir = server.authority.webhook_folder("webhook")
        registration = None
        if self._options.webhooks is not None:
            documents = webhooks.load(self._options.webhooks)
            registration = Registration(documents, server.authority.bundle_base64)
        for node in settings.NODES:
            self._layout.guests(node).mkdir(mode=0o700)
        made = tuple(
            Component(
                recipe,
                kubeconfig=self._kubeconfig(recipe, server, tokens[recipe.account]),
                cert_dir=cert_dir,
                environ=recipes.inherited(os.environ),
                supervisor=self._supervisor,
                api=api,
                note=self._note,
                registration=registration if recipe.name == recipes.IMPLEMENTATION else None,
            )
            for recipe in self._recipes
        )
        return proxy, made

    def _proxy(self, server: Server) -> Child:
        serving = server.authority.server("proxy")
        descriptors = {name: opened.fileno() for name, opened in self._listeners.items()}
        return self._supervisor.start(
            "proxy",
            [
                *(sys.executable, "-m", "e2e.environments.embedded.proxy"),
                *("--server", server.url, "--ca", str(server.authority.bundle)),
                *("--certificate", str(serving.certificate), "--key", str(serving.key)),
                *("--rules", str(self._layout.proxy)),
                *(f"{name}={descriptor}" for name, descriptor in descriptors.items()),
            ],
            pass_fds=tuple(descriptors.values()),
        )

    def _kubeconfig(self, recipe: Recipe, server: Server, token: str) -> Path:
        path = self._layout.kubeconfig(recipe.name)
        port = ports.number(self._listeners[recipe.name])
        kubeconfig.write(
            path,
            name=recipe.name,
            server=f"https://{ports.LOOPBACK}:{port}",
            ca_base64=server.authority.bundle_base64,
            user=kubeconfig.with_token(token),
        )
        return path

    async def _ready(self, api: KubeApi, components: tuple[Component, ...], manager: Child) -> None:
        agents = [component for component in components if component.name in settings.NODES]
        answering = [
            readiness.webhooks_answer(api, component)
            for component in components
            if component.registration is not None
        ]
        await asyncio.gather(
            readiness.collector_works(api, manager),
            readiness.service_accounts_work(api, manager),
            readiness.nodes_ready(api, agents),
            *answering,
            *(readiness.stays_up(component) for component in components),
        )
