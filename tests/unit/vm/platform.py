"""A whole platform in one process, for the VM controller's plans: its keys and its users."""

from __future__ import annotations

import ipaddress
import random
from typing import Any

from reference_controller.api import kinds
from reference_controller.api.kinds import Kind
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Json, Object
from reference_controller.api.writes import MergePatch, Plan, Write
from reference_controller.vm.operator import indexes, process, watches
from reference_controller.vm.operator.worlds import Worlds
from reference_controller.vm.plan import admission, world
from tests.unit.vm.fake_api import NAMESPACE, Conflict, merged
from tests.unit.vm.surroundings import Surroundings


class Platform(Surroundings):
    """The API, the VM controller's keys, and stand-ins for everything around it."""

    def __init__(self, settings: world.Settings | None = None, seed: int | None = None) -> None:
        super().__init__()
        self.settings = settings or world.Settings(
            oui="5e:e6:19", cidrs=(ipaddress.IPv4Network("10.66.10.0/24"),)
        )
        self.store = indexes.store()
        self.worlds = Worlds(self.store, self.settings)
        self.keys: list[tuple[str, ...]] = []
        self.writes: list[Write] = []
        self.dies_after = -1
        self._random = random.Random(seed) if seed is not None else None
        self._waking = watches.Wakes(self.store).watches()
        self.store.subscribe(self._wake)
        self.api.listeners.append(self._seen)
        self.api.create(kinds.VIRTUAL_MACHINE_CLASS, {"metadata": {"name": "generic"}})
        self.api.create(kinds.CLUSTER_VIRTUAL_IMAGE, {"metadata": {"name": "image"}})

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
                if len(self.writes) == self.dies_after:
                    self.keys.clear()
                    self.wake_all()
                    return True
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
