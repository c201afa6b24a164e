"""What is around the VM controller: `virt`'s own plan, the least of a node, the least of SDN.

Switches hold the node and SDN back. Time is a number of seconds.
"""

from __future__ import annotations

import datetime
import json

from reference_controller.api import kinds, names, networks
from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.kinds import Kind
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Json
from reference_controller.api.writes import MergePatch, Write, difference
from reference_controller.virt.plan import machine as virt_machine
from reference_controller.virt.plan.world import Node, World
from reference_controller.vm.plan.world import TIME_FORMAT
from tests.unit.vm.fake_api import WITHOUT_STATUS, Api, Conflict

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


class Surroundings:
    """The API server and everybody but the controller.

    `held`: networks about which SDN is silent; `refused`: those it cannot set up. `slow_release`:
    guests keep what they shall let go. `silent_node`: the node does nothing. `pools`: the
    addresses of each network.
    """

    def __init__(self) -> None:
        self.seconds = 0
        self.api = Api(self.clock)
        self.held: set[str] = set()
        self.refused: set[str] = set()
        self.slow_release = False
        self.silent_node = False
        self.pools: dict[str, list[str]] = {}

    def clock(self) -> str:
        """The present time as Kubernetes writes it."""
        return (START + datetime.timedelta(seconds=self.seconds)).strftime(TIME_FORMAT)

    def around(self) -> bool:
        """Let everybody but the controller work once; tells whether anybody wrote."""
        busy = self._perform_all(self._virt())
        busy |= self._node()
        busy |= self._sdn()
        return busy

    def _perform_all(self, planned: list[Write]) -> bool:
        busy = False
        for write in planned:
            before = self.api.version
            try:
                self.api.perform(write)
            except Conflict:
                return True
            busy |= self.api.version != before
        return busy

    def _virt(self) -> list[Write]:
        writes: list[Write] = []
        found = self.api.all(kinds.INTERNAL_VM) + self.api.all(kinds.INTERNAL_INSTANCE)
        for name in sorted({body["metadata"]["name"] for body in found}):
            internal = self.api.get(kinds.INTERNAL_VM, name)
            instance = self.api.get(kinds.INTERNAL_INSTANCE, name)
            machine = self.api.get(kinds.VIRTUAL_MACHINE, name)
            here = World(
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
