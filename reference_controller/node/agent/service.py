"""The process of the node agent: adopt what is there, then watch, decide, act and report."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog

from reference_controller.api import kinds, names
from reference_controller.api.internal import Instance, LauncherPod
from reference_controller.api.sdn import IPAddress, NetworkAttachment, NetworkObject
from reference_controller.node.drivers import template as templates
from reference_controller.node.drivers.dhcp import Responder
from reference_controller.node.drivers.links import LinkRefused, Links
from reference_controller.node.drivers.machine import Boot, Shape
from reference_controller.node.drivers.netns import Netns, NetnsUnusable
from reference_controller.node.drivers.qemu import StartFailed
from reference_controller.node.drivers.template import Template, TemplateUnusable
from reference_controller.node.plan.world import MAIN_BRIDGE
from reference_controller.runtime import logs, process
from reference_controller.runtime.client import Client
from reference_controller.runtime.executor import Executor
from reference_controller.runtime.operator import Operator, Watch
from reference_controller.runtime.queue import Key
from reference_controller.runtime.store import Store

from . import gather, settings
from .heartbeat import Heartbeat
from .machines import Keys, Machines
from .performer import Performer
from .reconcile import NETWORK, POD, Reconciler
from .settings import Settings

log = structlog.get_logger()


def main() -> None:
    """Run the node agent until it is told to stop; the guests stay."""
    logs.configure("node")
    try:
        chosen = settings.parse(sys.argv[1:], os.environ)
    except settings.SettingInvalid as exc:
        sys.exit(f"node agent: {exc}")
    process.run(serve(chosen), (NetnsUnusable, StartFailed, TemplateUnusable, LinkRefused, OSError))


async def serve(chosen: Settings) -> None:
    """Watch, decide, act and report."""
    structlog.contextvars.bind_contextvars(node=chosen.node.name)
    async with AsyncExitStack() as stack:
        netns = await Netns.create(chosen.netns)
        stack.callback(netns.close)
        hub = await Netns.enter(chosen.hub)
        stack.callback(hub.close)
        links = Links(netns, hub)
        stack.push_async_callback(links.close)
        await links.load()
        await links.add_bridge(MAIN_BRIDGE, MAIN_BRIDGE)
        responder = Responder(netns)
        stack.callback(responder.close)
        template = await _template(chosen)
        store = Store(gather.VIEWS, gather.INDEXES)
        client = await stack.enter_async_context(Client(chosen.kubeconfig))
        reconciler = Reconciler(Executor(client, store, "node"))
        operator = Operator(
            chosen.kubeconfig, client, store, watches(store, chosen.node.name), reconciler.run
        )
        machines = Machines(
            chosen.run_dir,
            netns.path,
            template,
            await asyncio.to_thread(_keys, chosen.identity),
            chosen.polls,
            lambda uid: operator.queue.add((POD, uid)),
        )
        stack.push_async_callback(machines.release)
        await machines.adopt()
        reconciler.gatherer = gather.Gatherer(
            chosen.node, store, client, links, responder, machines
        )
        reconciler.performer = Performer(links, responder, machines)
        reconciler.wake = operator.queue.add
        for key in found(links, machines):
            operator.queue.add(key)
        beat = asyncio.create_task(Heartbeat(client, chosen.node.name).run())
        stack.callback(beat.cancel)
        await operator.run()


def found(links: Links, machines: Machines) -> Iterable[Key]:
    """What an earlier agent left, so that it is looked after though no event may come."""
    for uid in machines.records:
        yield POD, uid
    for tap in links.taps.values():
        yield POD, tap.alias.partition("/")[0]
    for bridge in links.bridges:
        if bridge != MAIN_BRIDGE:
            yield NETWORK, bridge


def watches(store: Store, node: str) -> Iterable[Watch]:
    """What the node agent of `node` looks at, and whom it wakes."""

    def mine(pods: Iterable[LauncherPod]) -> list[Key]:
        return [(POD, pod.uid) for pod in pods if pod.spec.node_name == node]

    def by(index: str, value: str) -> list[Key]:
        return mine(store.find(kinds.POD, LauncherPod, index, value))

    def of_instance(instance: Instance) -> Iterable[Key]:
        return by("machine", f"{instance.namespace}/{instance.name}")

    def of_network(network: NetworkObject) -> Iterable[Key]:
        bridge = gather.bridge_of(network)
        return [(NETWORK, bridge), *by("bridge", bridge)]

    def of_address(address: IPAddress) -> Iterable[Key]:
        return by("address", f"{address.namespace}/{address.name}")

    def of_attachment(attachment: NetworkAttachment) -> Iterable[Key]:
        return [(NETWORK, attachment.name.removesuffix(f"-{node}"))]

    labels = {names.LAUNCHER_LABEL: names.LAUNCHER_LABEL_VALUE}
    return (
        Watch(kinds.NETWORK, of_network),
        Watch(kinds.CLUSTER_NETWORK, of_network),
        Watch(kinds.NETWORK_ATTACHMENT, of_attachment, {"network.deckhouse.io/node-name": node}),
        Watch(kinds.IP_ADDRESS, of_address),
        Watch(kinds.INTERNAL_INSTANCE, of_instance),
        Watch(kinds.POD, lambda pod: mine([pod]), labels),
    )


async def _template(chosen: Settings) -> Template:
    """The saved guest. Where there is none yet, the first agent makes it and the others wait."""
    boot = Boot(chosen.kernel, chosen.initrd)
    slots = chosen.node.slots
    async with _locked(chosen.template):
        try:
            template = Template.load(chosen.template, boot)
        except TemplateUnusable as exc:
            log.info("making the guest template", because=str(exc))
            place, run = chosen.template, chosen.run_dir / "template"
            return await templates.create(place, run, boot, Shape(slots=slots))
    if template.shape.slots < slots:
        raise TemplateUnusable(
            f"{chosen.template}: its machine has {template.shape.slots} slots, but NIC_SLOTS is"
            f" {slots}; lower that, or name an empty directory for another template"
        )
    return template


@asynccontextmanager
async def _locked(directory: Path) -> AsyncIterator[None]:
    def lock() -> int:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor

    descriptor = await asyncio.to_thread(lock)
    try:
        yield
    finally:
        os.close(descriptor)


def _keys(directory: Path) -> Keys:
    return Keys((directory / "authorized_keys").read_text(), (directory / "host_key").read_text())
