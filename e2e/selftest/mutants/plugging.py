"""Defects in how a network comes to a running VM: HP-01, HP-02, HP-05, HP-06, HP-19."""

from __future__ import annotations

from typing import Any, Final

from e2e.selftest.mutants.mutant import Function, Mutant
from reference_controller.api import conditions, kinds, names, networks
from reference_controller.api.writes import MergePatch, Plan

CLUSTER_NETWORK: Final = "ClusterNetwork"
NETWORK: Final = "Network"
AWAITING: Final = "AwaitingRestartToApplyConfiguration"
PLUGGING: Final = ("HP-01", "HP-02", "HP-05", "HP-06", "HP-07", "HP-19")
"""Clauses whose scenarios add a network to a running VM."""


def _cluster_networks_need_a_restart(original: Function) -> Function:
    def networks_action(old: Any, new: Any) -> Any:
        before, after = (
            {entry.key for entry in entries or () if entry.key.type == CLUSTER_NETWORK}
            for entries in (old, new)
        )
        return "Restart" if before != after else original(old, new)

    return networks_action


def _networks_are_never_ready(original: Function) -> Function:
    def obstacle(world: Any, choice: Any, provision: Any) -> Any:
        if choice.key.type == NETWORK:
            return f"{choice.key}: the network is not Ready"
        return original(world, choice, provision)

    return obstacle


def _announces_a_restart(original: Function) -> Function:
    def restart(world: Any, verdict: Any) -> Any:
        nics = world.internal.interfaces if world.internal else ()
        there = sum(nic.name != names.MAIN_INTERFACE and not nic.absent for nic in nics)
        if len(networks.additional(verdict.spec.networks)) <= there:
            return original(world, verdict)
        generation = world.vm.metadata.generation
        reason = "ChangesPendingRestart"
        return [conditions.wanted(AWAITING, "True", reason, "networks", generation)]

    return restart


def _the_instance_learns_nothing(_: Function) -> Function:
    return lambda *_: None


def _another_mac(original: Function) -> Function:
    def interface(nic: Any, model: str) -> Any:
        found = original(nic, model)
        start, end = found["macAddress"][:-2], found["macAddress"][-2:]
        return {**found, "macAddress": start + ("0e" if end == "0f" else "0f")}

    return interface


def _names_no_mac_object(original: Function) -> Function:
    def network_entry(*given: Any) -> Any:
        entry = original(*given)
        named = entry.get("virtualMachineMACAddressName")
        return {**entry, "virtualMachineMACAddressName": f"{named}-x"} if named else entry

    return network_entry


def _an_index_of_its_own(original: Function) -> Function:
    return lambda nic, model: {**original(nic, model), "acpiIndex": 20}


def _never_at_rest(original: Function) -> Function:
    return lambda world: _every_second(
        original(world), world, {"status": {"stats": {"lastStartTime": world.now}}}, status=True
    )


def _asks_in_vain(original: Function) -> Function:
    return lambda world: _every_second(original(world), world, {"metadata": {}})


def _every_second(plan: Plan, world: Any, body: Any, *, status: bool = False) -> Plan:
    """The plan and a patch of the VM besides, again after a second."""
    if world.machine is None or world.machine.metadata.deleting:
        return plan
    patch = MergePatch(kinds.VIRTUAL_MACHINE, world.namespace, world.name, body, status=status)
    return Plan((*plan.writes, patch), again_after=1.0)


MUTANTS: Final = (
    Mutant(
        "cluster-networks-need-a-restart",
        "vm",
        "reference_controller.vm.plan.comparator:networks_action",
        "HP-01",
        "adding or removing a ClusterNetwork waits for a restart",
        _cluster_networks_need_a_restart,
        (*PLUGGING, "HP-08", "HP-24", "UP-01", "UP-02"),
    ),
    Mutant(
        "announces-a-restart",
        "vm",
        "reference_controller.vm.plan.applied:restart",
        "HP-01",
        "a restart is announced for a network that comes without one",
        _announces_a_restart,
        (*PLUGGING, "HP-08", "UP-01"),
    ),
    Mutant(
        "the-instance-learns-nothing",
        "virt",
        "reference_controller.virt.plan.instance:synchronise",
        "HP-01",
        "what the controller writes to the internal VM never reaches the instance",
        _the_instance_learns_nothing,
        (*PLUGGING, "HP-24", "UP-01", "UP-02"),
    ),
    Mutant(
        "networks-are-never-ready",
        "vm",
        "reference_controller.vm.plan.interfaces:obstacle",
        "HP-02",
        "a Network, unlike a ClusterNetwork, is taken for not Ready",
        _networks_are_never_ready,
        ("HP-08", "UP-01"),
    ),
    Mutant(
        "another-mac",
        "vm",
        "reference_controller.vm.plan.template:interface",
        "HP-05",
        "the guest gets another MAC address than the VM reports",
        _another_mac,
        ("UP-01", "UP-02", "MN-02", "MN-03"),
    ),
    Mutant(
        "names-no-mac-object",
        "vm",
        "reference_controller.vm.plan.status:network_entry",
        "HP-05",
        "the VM names a VirtualMachineMACAddress that does not exist",
        _names_no_mac_object,
    ),
    Mutant(
        "an-index-of-its-own",
        "vm",
        "reference_controller.vm.plan.template:interface",
        "HP-06",
        "the guest gets the NIC at an index that has nothing to do with the id",
        _an_index_of_its_own,
        ("HP-07", "HP-08", "UP-01"),
    ),
    Mutant(
        "never-at-rest",
        "vm",
        "reference_controller.vm.plan.machine:reconcile",
        "HP-19",
        "the time of the last pass is noted on the VM every second",
        _never_at_rest,
        ("HP-24",),
    ),
    Mutant(
        "asks-in-vain",
        "vm",
        "reference_controller.vm.plan.machine:reconcile",
        "HP-19",
        "every second it sends a request that changes nothing",
        _asks_in_vain,
        ("HP-24",),
    ),
)
