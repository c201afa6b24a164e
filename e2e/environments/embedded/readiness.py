"""What must be true before the environment counts as up, beyond servers that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable

from e2e.environments.embedded import manifests, settings
from e2e.environments.embedded.components import Component
from e2e.environments.embedded.kube_api import ApiRefused, Json, KubeApi, Objects
from e2e.environments.embedded.objects import condition
from e2e.environments.embedded.supervisor import Child, unless_ended
from e2e.environments.embedded.trouble import BringUpFailed, how, tail

PART_SECONDS = 60.0
"""For each part; a busy machine needs a few of them."""
CRASHES = 4
"""A component that the environment needs and that ended so often will not come up."""
STEADY_SECONDS = 3.0
PROBE_SECONDS = 0.05
_UNREACHED = "failed calling webhook"


async def collector_works(api: KubeApi, manager: Child) -> None:
    """An object goes with its owner: the garbage collector knows the CRDs.

    Raises:
        BringUpFailed: it does not within a minute, or the manager ended.
    """
    owner = await _probe(api, "plumbline-probe-owner")
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }
    dependent = await _probe(api, "plumbline-probe", [reference])
    await api.request("DELETE", manifests.path(owner))
    name = str(dependent["metadata"]["name"])

    def collected(found: Objects) -> bool:
        return name not in found

    wait = api.until(manifests.collection(dependent), collected)
    await unless_ended(
        wait, manager, missing="the garbage collector does not collect", within=PART_SECONDS
    )


async def service_accounts_work(api: KubeApi, manager: Child) -> None:
    """A new namespace gets its default ServiceAccount, without which no pod can be made."""
    collection = f"/api/v1/namespaces/{settings.SYSTEM_NAMESPACE}/serviceaccounts"
    wait = api.until(collection, lambda found: "default" in found)
    await unless_ended(
        wait, manager, missing="a namespace gets no default ServiceAccount", within=PART_SECONDS
    )


async def nodes_ready(api: KubeApi, agents: Iterable[Component]) -> None:
    """Every node has registered itself and reports Ready.

    Raises:
        BringUpFailed: with the last words of the agent whose node is missing.
    """
    by_node = {agent.name: agent for agent in agents}

    def ready(found: Objects) -> bool:
        return all(node in found and condition(found[node], "Ready") for node in by_node)

    waiting = asyncio.create_task(_within(api.until("/api/v1/nodes", ready)))
    try:
        while not (await asyncio.wait({waiting}, timeout=PROBE_SECONDS))[0]:
            for agent in by_node.values():
                _not_crashing(agent)
        await waiting
    except TimeoutError as error:
        page = await api.request("GET", "/api/v1/nodes")
        have = {item["metadata"]["name"] for item in page["items"] if condition(item, "Ready")}
        missing = sorted(by_node.keys() - have)
        part = by_node[missing[0]] if missing else next(iter(by_node.values()))
        raise _trouble(part, f"not Ready after {PART_SECONDS:g} s: {', '.join(missing)}") from error
    finally:
        waiting.cancel()


async def webhooks_answer(api: KubeApi, component: Component) -> None:
    """The API server reaches the component's webhooks: a machine is admitted, or refused by them.

    Raises:
        BringUpFailed: it does not within a minute, or the component keeps ending.
    """
    (machine,) = manifests.load(settings.MANIFESTS / "virtual-machine.yaml")
    collection = manifests.collection(machine)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PART_SECONDS
    while True:
        try:
            await api.request("POST", collection, machine, query={"dryRun": "All"})
        except ApiRefused as refused:
            if _UNREACHED not in refused.message:
                return
            reason = refused.message
        else:
            return
        if loop.time() > deadline:
            raise _trouble(component, f"its webhooks do not answer: {reason}")
        _not_crashing(component)
        if component.child is not None:
            await component.child.within(PROBE_SECONDS)


async def stays_up(component: Component) -> None:
    """A component runs for a while without ending.

    Raises:
        BringUpFailed: it ends again and again.
    """
    try:
        async with asyncio.timeout(PART_SECONDS):
            for start in range(1, CRASHES + 1):
                await component.started(start)
                child = component.child
                if child is not None and not await child.within(STEADY_SECONDS):
                    return
    except TimeoutError as error:
        raise _trouble(component, "it cannot be started again") from error
    _not_crashing(component)


async def _probe(api: KubeApi, name: str, owners: list[Json] | None = None) -> Json:
    document: Json = {
        "apiVersion": "network.deckhouse.io/v1alpha1",
        "kind": "NodeNetworkInterface",
        "metadata": {"name": name, "ownerReferences": owners or []},
    }
    return await api.request("POST", manifests.collection(document), document)


async def _within(wait: Coroutine[None, None, None]) -> None:
    async with asyncio.timeout(PART_SECONDS):
        await wait


def _not_crashing(component: Component) -> None:
    if component.state.starts >= CRASHES and not component.alive:
        last = how(component.state.last_exit or 0)
        raise _trouble(
            component, f"it ended {component.state.starts} times; the last time it {last}"
        )


def _trouble(component: Component, message: str) -> BringUpFailed:
    log = tail(component.child.log) if component.child is not None else ()
    return BringUpFailed(component.name, message, log)
