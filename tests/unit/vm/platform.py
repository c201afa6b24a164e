"""A whole platform in one process for the VM controller's plans: API, `virt`'s plan, a node, SDN.

The API server here keeps objects as JSON with versions, generations, finalizers, ownership. The
node and SDN are the least that answers: switches hold them back. Time is a number of seconds.
"""

from __future__ import annotations

import copy
import datetime
import ipaddress
import json
import random
from collections.abc import Callable
from typing import Any

from reference_controller.api import kinds, names, networks
from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.kinds import Kind
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Json, Object
from reference_controller.api.writes import (
    Create,
    Delete,
    EmitEvent,
    JsonPatch,
    MergePatch,
    Plan,
    Write,
    difference,
)
from reference_controller.virt.plan import machine as virt_machine
from reference_controller.virt.plan.world import Node
from reference_controller.virt.plan.world import World as VirtWorld
from reference_controller.vm.operator import indexes, process, watches
from reference_controller.vm.operator.worlds import Worlds
from reference_controller.vm.plan import admission, world

NAMESPACE = "ns"
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
WITHOUT_STATUS = (kinds.INTERNAL_INSTANCE, kinds.POD)


class Conflict(Exception):
    """The object had changed since it was read, or is not there."""


class Api:
    """Objects, and what the API server and the garbage collector do to them."""

    def __init__(self, clock: Callable[[], str]) -> None:
        self.objects: dict[tuple[Kind, str, str], Json] = {}
        self.listeners: list[Callable[[Kind, Json, bool], None]] = []
        self._version = 0
        self._clock = clock

    def get(self, kind: Kind, name: str, namespace: str = NAMESPACE) -> Json | None:
        """The object as stored."""
        return self.objects.get((kind, namespace if kind.namespaced else "", name))

    def all(self, kind: Kind) -> list[Json]:
        """All objects of a kind, by name."""
        found = sorted((key[1:], body) for key, body in self.objects.items() if key[0] == kind)
        return [body for _, body in found]

    def perform(self, write: Write) -> None:
        """Carry out one write as the executor does."""
        match write:
            case Create():
                meta = write.body["metadata"]
                if self.get(write.kind, meta["name"], meta.get("namespace", "")) is None:
                    self.create(write.kind, write.body)
            case MergePatch():
                self.patch(write)
            case Delete():
                body = self.get(write.kind, write.name, write.namespace)
                if body is None:
                    return
                if write.uid not in ("", body["metadata"]["uid"]):
                    raise Conflict(f"{write.kind} {write.name}: another uid")
                self.delete(write.kind, body)
            case EmitEvent() | JsonPatch():
                pass

    def create(self, kind: Kind, body: Json) -> Json:
        """Store a new object."""
        full = {"apiVersion": kind.api_version, "kind": kind.kind, **copy.deepcopy(body)}
        meta = full["metadata"]
        if not kind.namespaced:
            meta.pop("namespace", None)
        self._version += 1
        meta |= {
            "uid": f"uid-{self._version:06d}",
            "generation": 1,
            "creationTimestamp": self._clock(),
        }
        self._store(kind, full)
        return full

    def patch(self, write: MergePatch) -> None:
        """Apply a merge patch to an object or its status."""
        body = self.get(write.kind, write.name, write.namespace)
        if body is None:
            return
        if write.resource_version not in ("", body["metadata"]["resourceVersion"]):
            raise Conflict(f"{write.kind} {write.name}: changed")
        patch = write.body
        if write.kind not in WITHOUT_STATUS:
            part = {key: value for key, value in patch.items() if (key == "status") == write.status}
            assert part == patch, f"{write.kind} {write.name}: status and spec in one patch"
        new = merged(body, patch)
        if new == body:
            return
        if new.get("spec") != body.get("spec"):
            new["metadata"]["generation"] = body["metadata"].get("generation", 1) + 1
        self._store(write.kind, new)
        self._collect(write.kind, new)

    def delete(self, kind: Kind, body: Json) -> None:
        """Mark an object as deleted; it goes when the last finalizer does."""
        if body["metadata"].get("deletionTimestamp"):
            return
        new = copy.deepcopy(body)
        new["metadata"]["deletionTimestamp"] = self._clock()
        self._store(kind, new)
        self._collect(kind, new)

    def _collect(self, kind: Kind, body: Json) -> None:
        meta = body["metadata"]
        held = meta.get("finalizers") or (kind == kinds.POD and not meta.get("gone"))
        if not meta.get("deletionTimestamp") or held:
            return
        del self.objects[kind, meta.get("namespace", ""), meta["name"]]
        self._version += 1
        meta["resourceVersion"] = str(self._version)
        for listener in self.listeners:
            listener(kind, body, True)
        for other, namespace, name in list(self.objects):
            dependent = self.objects.get((other, namespace, name))
            owners = (dependent or {}).get("metadata", {}).get("ownerReferences") or []
            if dependent is not None and any(owner["uid"] == meta["uid"] for owner in owners):
                self.delete(other, dependent)

    def _store(self, kind: Kind, body: Json) -> None:
        self._version += 1
        meta = body["metadata"]
        meta["resourceVersion"] = str(self._version)
        self.objects[kind, meta.get("namespace", ""), meta["name"]] = body
        for listener in self.listeners:
            listener(kind, body, False)


def merged(body: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(copy.deepcopy(body)) if isinstance(body, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


class Platform:
    """The API, the VM controller's keys, and stand-ins for everything around it."""

    def __init__(self, settings: world.Settings | None = None, seed: int | None = None) -> None:
        self.seconds = 0
        self.settings = settings or world.Settings(
            oui="5e:e6:19", cidrs=(ipaddress.IPv4Network("10.66.10.0/24"),)
        )
        self.api = Api(self.clock)
        self.store = indexes.store()
        self.worlds = Worlds(self.store, self.settings)
        self.keys: list[tuple[str, ...]] = []
        self.writes: list[Write] = []
        self.held: set[str] = set()
        self.refused: set[str] = set()
        self.slow_release = False
        self.silent_node = False
        self.pools: dict[str, list[str]] = {}
        self._random = random.Random(seed) if seed is not None else None
        self._waking = watches.Wakes(self.store).watches()
        self.store.subscribe(self._wake)
        self.api.listeners.append(self._seen)
        self.api.create(kinds.VIRTUAL_MACHINE_CLASS, {"metadata": {"name": "generic"}})
        self.api.create(kinds.CLUSTER_VIRTUAL_IMAGE, {"metadata": {"name": "image"}})

    def clock(self) -> str:
        """The present time as Kubernetes writes it."""
        return (START + datetime.timedelta(seconds=self.seconds)).strftime(world.TIME_FORMAT)

    def network(self, name: str, kind: str = "ClusterNetwork", pool: str = "") -> None:
        """Create a network that is Ready."""
        spec: Json = {"ipam": {"ipAddressPoolRef": {"name": pool}}} if pool else {}
        of_kind = kinds.CLUSTER_NETWORK if kind == "ClusterNetwork" else kinds.NETWORK
        meta = {"name": name, "namespace": NAMESPACE}
        self.api.create(of_kind, {"metadata": meta, "spec": spec})
        self.ready(name, kind)

    def ready(self, name: str, kind: str = "ClusterNetwork", ready: bool = True) -> None:
        """Set a network's condition Ready."""
        of_kind = kinds.CLUSTER_NETWORK if kind == "ClusterNetwork" else kinds.NETWORK
        status = {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}
        namespace = NAMESPACE if of_kind.namespaced else ""
        self.api.patch(MergePatch(of_kind, namespace, name, {"status": status}, status=True))

    def machine(self, name: str = "vm", **spec: Any) -> None:
        """Create a VM as admission lets it."""
        body: Json = {
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {
                "virtualMachineClassName": "generic",
                "cpu": {"cores": 1},
                "memory": {"size": "64Mi"},
                "blockDeviceRefs": [{"kind": "ClusterVirtualImage", "name": "image"}],
                "runPolicy": "AlwaysOnUnlessStoppedManually",
                **spec,
            },
        }
        self.api.create(kinds.VIRTUAL_MACHINE, self._admitted(body, None))

    def edit(self, name: str = "vm", **spec: Any) -> None:
        """Edit a VM's spec as admission lets it; None removes a field."""
        old = self.api.get(kinds.VIRTUAL_MACHINE, name)
        assert old is not None
        new = self._admitted(merged(old, {"spec": spec}), old)
        patch = {"spec": {**spec, **{key: new["spec"].get(key) for key in spec}}}
        self.api.patch(MergePatch(kinds.VIRTUAL_MACHINE, NAMESPACE, name, patch))

    def operate(self, kind: str, name: str = "op", machine: str = "vm") -> None:
        """Create a VirtualMachineOperation."""
        meta = {"name": name, "namespace": NAMESPACE}
        spec = {"type": kind, "virtualMachineName": machine}
        self.api.create(kinds.VM_OPERATION, {"metadata": meta, "spec": spec})

    def remove(self, kind: Kind, name: str) -> None:
        """Delete an object as a user would."""
        body = self.api.get(kind, name)
        assert body is not None
        self.api.delete(kind, body)

    def vm(self, name: str = "vm") -> VirtualMachine:
        """The VM as stored."""
        body = self.api.get(kinds.VIRTUAL_MACHINE, name)
        assert body is not None
        return VirtualMachine.parse(body)

    def condition(self, kind: str, name: str = "vm") -> tuple[str, str, str] | None:
        """Status, reason and message of one of a VM's conditions."""
        for item in self.vm(name).status.conditions:
            if item.type == kind:
                return item.status, item.reason, item.message
        return None

    def nics(self, name: str = "vm") -> dict[str, Json]:
        """The NICs of the running instance, by interface name."""
        body = self.api.get(kinds.INTERNAL_INSTANCE, name)
        assert body is not None
        return {nic["name"]: nic for nic in body["spec"]["domain"]["devices"]["interfaces"]}

    def settle(self, rounds: int = 200) -> None:
        """Let everybody work until nobody has anything to write; seconds pass."""
        for _ in range(rounds):
            busy = self.controller()
            busy |= self.around()
            if not busy:
                if not self.keys:
                    return
                continue
            self.seconds += 1
        raise AssertionError(f"not settled after {rounds} rounds: {self.writes[-6:]}")

    def around(self) -> bool:
        """Let everybody but the controller work once; tells whether anybody wrote."""
        busy = self._perform_all(self._virt())
        busy |= self._node()
        busy |= self._sdn()
        return busy

    def controller(self) -> bool:
        """Let the controller work on all woken keys; tells whether it wrote."""
        busy = False
        for _ in range(2000):
            if not self.keys:
                return busy
            place = self._random.randrange(len(self.keys)) if self._random else 0
            busy |= self.one(self.keys.pop(place))
        raise AssertionError(f"the controller spins: {self.writes[-6:]}")

    def one(self, key: tuple[str, ...]) -> bool:
        """One pass; a conflict ends it, and it comes again."""
        plan = self.plan(key)
        try:
            for write in plan.writes:
                self.writes.append(write)
                self.api.perform(write)
        except Conflict:
            self._add(key)
        if plan.again_after is not None and plan.again_after <= 0:
            self._add(key)
        return bool(plan.writes)

    def plan(self, key: tuple[str, ...]) -> Plan:
        """What the controller would do for a key now."""
        return process.decide(self.worlds, key, self.clock())

    def wake_all(self) -> None:
        """What a restart or a re-list does: every object wakes its keys."""
        for watch in self._waking:
            for item in self.store.all(watch.kind, Object):
                for key in watch.wakes(item):
                    self._add(key)

    def _admitted(self, new: Json, old: Json | None) -> Json:
        stored = VirtualMachine.parse(old) if old is not None else None
        filled = admission.filled(VirtualMachine.parse(new), stored)
        if filled is not None:
            new = merged(new, {"spec": {"networks": filled}})
        view = VirtualMachine.parse(new)
        unknown = {
            key
            for key in admission.added(view, stored)
            if self.worlds.network(NAMESPACE, key) is None
        }
        admission.judge_machine(admission.MachineRequest(self.settings, view, stored, unknown))
        return new

    def _seen(self, kind: Kind, body: Json, gone: bool) -> None:
        if not self.store.watches(kind):
            return
        if gone:
            self.store.remove(kind, body)
        else:
            self.store.apply(kind, body)

    def _wake(self, kind: Kind, old: Object | None, new: Object | None) -> None:
        for watch in self._waking:
            if watch.kind == kind:
                for view in (old, new):
                    for key in watch.wakes(view) if view is not None else ():
                        self._add(key)

    def _add(self, key: tuple[str, ...]) -> None:
        if key not in self.keys:
            self.keys.append(key)

    def _perform_all(self, planned: list[Write]) -> bool:
        busy = False
        for write in planned:
            before = self.api._version
            try:
                self.api.perform(write)
            except Conflict:
                return True
            busy |= self.api._version != before
        return busy

    def _virt(self) -> list[Write]:
        writes: list[Write] = []
        found = self.api.all(kinds.INTERNAL_VM) + self.api.all(kinds.INTERNAL_INSTANCE)
        for name in sorted({body["metadata"]["name"] for body in found}):
            internal = self.api.get(kinds.INTERNAL_VM, name)
            instance = self.api.get(kinds.INTERNAL_INSTANCE, name)
            machine = self.api.get(kinds.VIRTUAL_MACHINE, name)
            here = VirtWorld(
                InternalVM.parse(internal) if internal else None,
                Instance.parse(instance) if instance else None,
                tuple(pod for pod in self._pods() if pod.machine == name),
                VirtualMachine.parse(machine) if machine else None,
                (Node("node-a", {}, True, 0, 9),),
                START + datetime.timedelta(seconds=self.seconds),
            )
            writes += virt_machine.decide(here).writes
        return writes

    def _pods(self) -> list[LauncherPod]:
        return [LauncherPod.parse(body) for body in self.api.all(kinds.POD)]

    def _node(self) -> bool:
        """Runs guests, answers for interfaces, and lets pods go."""
        busy = False
        for pod in self._pods() if not self.silent_node else ():
            if pod.metadata.deleting:
                gone = {"metadata": {"gone": True}}
                self.api.patch(MergePatch(kinds.POD, pod.namespace, pod.name, gone))
                busy = True
                continue
            target: Json = {"status": {"phase": "Running"}}
            if pod.requests or names.NETWORKS_STATUS in pod.metadata.annotations:
                text = json.dumps(
                    [
                        self._answer(item)
                        for item in pod.requests
                        if item.network.name not in self.held
                    ]
                )
                target["metadata"] = {"annotations": {names.NETWORKS_STATUS: text}}
            busy |= self._towards(kinds.POD, pod.raw, target)
            busy |= self._guest(pod)
        return busy

    def _guest(self, pod: LauncherPod) -> bool:
        body = self.api.get(kinds.INTERNAL_INSTANCE, pod.machine)
        if body is None or pod.uid not in body.get("status", {}).get("activePods", {}):
            return False
        fitted = {nic["name"]: nic for nic in body.get("status", {}).get("interfaces", [])}
        interfaces = []
        for nic in body["spec"].get("domain", {}).get("devices", {}).get("interfaces", []):
            leaving = nic.get("state") == "absent"
            if leaving and not (self.slow_release and nic["name"] in fitted):
                continue
            entry = {"name": nic["name"], "mac": nic.get("macAddress", "")}
            if nic["name"] == "default":
                address = pod.metadata.annotations.get(names.POD_ADDRESS, "")
                entry |= {"ipAddress": address, "ipAddresses": [address]}
            interfaces.append(entry)
        status: Json = {"phase": "Running", "interfaces": interfaces}
        return self._towards(kinds.INTERNAL_INSTANCE, body, {"status": status})

    def _answer(self, request: networks.InterfaceRequest) -> Json:
        healthy = request.network.name not in self.refused
        condition = {
            "type": "Configured",
            "status": "True" if healthy else "False",
            "reason": "x",
            "message": "" if healthy else "no free slot",
        }
        answer: Json = {
            "type": request.network.type,
            "name": request.network.name,
            "ifName": request.interface,
            "conditions": [condition],
        }
        configs = []
        for name in request.address_names:
            claim = self.api.get(kinds.IP_ADDRESS, name) or {}
            configs.append({"name": name, "address": claim.get("status", {}).get("address", "")})
        return answer | ({"ipAddressConfigs": configs} if configs else {})

    def _sdn(self) -> bool:
        """Allocates addresses from `pools`, keyed by network name."""
        busy = False
        claims = self.api.all(kinds.IP_ADDRESS)
        used = {claim.get("status", {}).get("address") for claim in claims}
        for claim in claims:
            if claim.get("status", {}).get("address"):
                continue
            pool = self.pools.get(claim["spec"]["networkRef"]["name"], [])
            wanted = claim["spec"].get("static", {}).get("ip")
            free = [item for item in pool if item not in used and wanted in (None, item)]
            if free:
                used.add(free[0])
                allocated = {"type": "Allocated", "status": "True", "reason": "IPAddressAllocated"}
                status = {"address": free[0], "phase": "Allocated", "conditions": [allocated]}
            else:
                refused = {"type": "Allocated", "status": "False", "reason": "NoFreeIPAddress"}
                status = {"phase": "Pending", "conditions": [refused]}
            busy |= self._towards(kinds.IP_ADDRESS, claim, {"status": status})
        return busy

    def _towards(self, kind: Kind, body: Json, target: Json) -> bool:
        patch = difference(body, target)
        if not patch:
            return False
        meta = body["metadata"]
        status = kind not in WITHOUT_STATUS
        self.api.patch(MergePatch(kind, meta["namespace"], meta["name"], patch, status=status))
        return True
