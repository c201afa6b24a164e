"""virt makes, changes and ends instances as seam.md and spec 4.8 say."""

import datetime
from typing import Any

from reference_controller.api import kinds
from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.machines import VirtualMachine
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, Delete, MergePatch, Plan
from reference_controller.virt.plan import instance as instances
from reference_controller.virt.plan import machine
from reference_controller.virt.plan.world import Node, World

NOW = datetime.datetime(2026, 1, 1, 12, 0, 5, 400000, tzinfo=datetime.UTC)
NODES = (Node("node-a", {}, True, 1, 110), Node("node-b", {}, True, 0, 110))
MAIN = {"name": "default", "acpiIndex": 1}
BLUE = {"name": "veth_cn1", "acpiIndex": 2, "macAddress": "5e:e6:19:00:00:01"}


def internal(*nics: Json, strategy: str = "Always", **status: Any) -> InternalVM:
    template = {
        "metadata": {"annotations": {"cni.cilium.io/ipAddress": "10.66.10.1"}},
        "spec": {
            "networks": [{"name": nic["name"], "pod": {}} for nic in nics],
            "domain": {"devices": {"interfaces": list(nics)}},
        },
    }
    meta = {"name": "vm", "namespace": "ns", "uid": "k", "finalizers": [machine.FINALIZER]}
    spec = {"runStrategy": strategy, "template": template}
    return InternalVM.parse({"metadata": meta, "spec": spec, "status": status})


def instance(*nics: Json, reported: tuple[str, ...] = (), **fields: Any) -> Instance:
    status = {
        "phase": "Running",
        "nodeName": "node-b",
        "activePods": {"p": "node-b"},
        "interfaces": [{"name": name} for name in reported],
        **fields.pop("status", {}),
    }
    spec = {
        "networks": [{"name": nic["name"], "pod": {}} for nic in nics],
        "domain": {"devices": {"interfaces": list(nics)}},
    }
    meta = {"name": "vm", "namespace": "ns", "uid": "i", "finalizers": [instances.FINALIZER]}
    return Instance.parse({"metadata": {**meta, **fields}, "spec": spec, "status": status})


def pod(**fields: Any) -> LauncherPod:
    owner = {"uid": "i", "controller": True, "kind": "x", "name": "vm", "apiVersion": "v1"}
    meta = {"name": "pod", "namespace": "ns", "uid": "p", "ownerReferences": [owner], **fields}
    return LauncherPod.parse(
        {"metadata": meta, "spec": {"nodeName": "node-b"}, "status": {"phase": "Running"}}
    )


def decide(
    kvvm: InternalVM | None,
    vmi: Instance | None = None,
    *pods: LauncherPod,
    phase: str = "",
    now: datetime.datetime = NOW,
    nodes: tuple[Node, ...] = NODES,
) -> Plan:
    seen = VirtualMachine.parse({"metadata": {"name": "vm"}, "status": {"phase": phase}})
    return machine.decide(World(kvvm, vmi, pods, seen, nodes, now))


def created(plan: Plan, kind: kinds.Kind) -> list[Json]:
    return [write.body for write in plan.writes if isinstance(write, Create) and write.kind == kind]


def patch_of(plan: Plan, kind: kinds.Kind) -> Json:
    [body] = [w.body for w in plan.writes if isinstance(w, MergePatch) and w.kind == kind]
    return body


def nic_names(body: Json) -> list[str]:
    return [nic["name"] for nic in body["spec"]["domain"]["devices"]["interfaces"]]


def test_the_finalizer_comes_before_any_instance() -> None:
    bare = InternalVM.parse({**internal(MAIN).raw, "metadata": {"name": "vm", "namespace": "ns"}})
    plan = decide(bare)
    assert patch_of(plan, kinds.INTERNAL_VM)["metadata"]["finalizers"] == [machine.FINALIZER]
    assert created(plan, kinds.INTERNAL_INSTANCE) == []


def test_an_instance_has_no_nic_that_shall_leave_and_a_stable_main_mac() -> None:
    kvvm = internal(MAIN, {**BLUE, "state": "absent"})
    [first] = created(decide(kvvm), kinds.INTERNAL_INSTANCE)
    [again] = created(decide(kvvm), kinds.INTERNAL_INSTANCE)
    assert nic_names(first) == ["default"]
    [nic] = first["spec"]["domain"]["devices"]["interfaces"]
    assert nic["macAddress"].startswith("02:")
    assert first == again


def test_a_vm_that_starts_is_not_reported_stopped_first() -> None:
    [only] = decide(internal(MAIN)).writes
    assert isinstance(only, Create)


def test_manual_runs_only_on_request() -> None:
    assert created(decide(internal(MAIN, strategy="Manual")), kinds.INTERNAL_INSTANCE) == []
    asked = internal(MAIN, strategy="Manual", stateChangeRequests=[{"action": "Start"}])
    assert len(created(decide(asked), kinds.INTERNAL_INSTANCE)) == 1


def test_the_pod_is_bound_to_the_emptiest_fitting_node_with_the_template_s_annotations() -> None:
    young = instance(MAIN, status={"phase": "Pending", "activePods": {}, "nodeName": ""})
    [body] = created(decide(internal(MAIN, created=True), young), kinds.POD)
    assert body["spec"]["nodeName"] == "node-b"


def test_no_fitting_node_is_reported() -> None:
    young = instance(MAIN, status={"phase": "Pending", "activePods": {}, "nodeName": ""})
    plan = decide(internal(MAIN), young, nodes=())
    status = patch_of(plan, kinds.INTERNAL_VM)["status"]
    assert status["printableStatus"] == "ErrorUnschedulable"


def test_a_new_nic_of_the_template_is_copied_to_the_instance() -> None:
    plan = decide(internal(MAIN, BLUE), instance(MAIN, reported=("default",)), pod())
    assert nic_names(patch_of(plan, kinds.INTERNAL_INSTANCE)) == ["default", "veth_cn1"]


def test_absent_is_copied_then_the_nic_leaves_instance_then_template() -> None:
    leaving = {**BLUE, "state": "absent"}
    kvvm = internal(MAIN, leaving)
    asked = patch_of(
        decide(kvvm, instance(MAIN, BLUE, reported=("default", "veth_cn1")), pod()),
        kinds.INTERNAL_INSTANCE,
    )
    assert asked["spec"]["domain"]["devices"]["interfaces"][1]["state"] == "absent"
    held = decide(kvvm, instance(MAIN, leaving, reported=("default", "veth_cn1")), pod())
    assert not any(
        isinstance(w, MergePatch) and w.kind == kinds.INTERNAL_INSTANCE for w in held.writes
    )
    gone = patch_of(
        decide(kvvm, instance(MAIN, leaving, reported=("default",)), pod()),
        kinds.INTERNAL_INSTANCE,
    )
    assert nic_names(gone) == ["default"]
    pruned = patch_of(decide(kvvm, instance(MAIN, reported=("default",)), pod()), kinds.INTERNAL_VM)
    assert nic_names({"spec": pruned["spec"]["template"]["spec"]}) == ["default"]


def test_a_re_add_during_detach_cancels_absent() -> None:
    leaving = {**BLUE, "state": "absent"}
    plan = decide(
        internal(MAIN, BLUE), instance(MAIN, leaving, reported=("default", "veth_cn1")), pod()
    )
    nics = patch_of(plan, kinds.INTERNAL_INSTANCE)["spec"]["domain"]["devices"]["interfaces"]
    assert "state" not in nics[1]


def test_a_stop_request_ends_the_instance_it_names() -> None:
    request = {"action": "Stop", "uid": "i"}
    plan = decide(internal(MAIN, strategy="Manual", stateChangeRequests=[request]), instance(MAIN))
    assert [w.uid for w in plan.writes if isinstance(w, Delete)] == ["i"]
    other = {"action": "Stop", "uid": "older"}
    plan = decide(
        internal(MAIN, strategy="Manual", stateChangeRequests=[other]), instance(MAIN), pod()
    )
    assert not any(isinstance(w, Delete) for w in plan.writes)
    assert patch_of(plan, kinds.INTERNAL_VM)["status"]["stateChangeRequests"] is None


def test_an_ending_instance_goes_after_its_last_pod() -> None:
    ending = instance(MAIN, deletionTimestamp="2026-01-01T12:00:00Z")
    first = decide(internal(MAIN, strategy="Manual"), ending, pod())
    assert [w.name for w in first.writes if isinstance(w, Delete)] == ["pod"]
    waiting = decide(
        internal(MAIN, strategy="Manual"), ending, pod(deletionTimestamp="2026-01-01T12:00:00Z")
    )
    assert not any(
        isinstance(w, (Delete, MergePatch)) and w.kind != kinds.INTERNAL_VM for w in waiting.writes
    )
    last = decide(internal(MAIN, strategy="Manual"), ending)
    assert patch_of(last, kinds.INTERNAL_INSTANCE)["metadata"]["finalizers"] == []


RESTART = [{"action": "Stop", "uid": "i"}, {"action": "Start"}]


def stopped(**fields: Any) -> InternalVM:
    defaults = {
        "created": False,
        "printableStatus": "Stopped",
        "stateChangeRequests": [{"action": "Start"}],
        "stoppingSince": "2026-01-01T12:00:04.900000+00:00",
        "stoppedSince": "2026-01-01T12:00:05.100000+00:00",
    }
    return internal(MAIN, strategy="Manual", **{**defaults, **fields})


def test_stopped_is_reported_before_the_new_instance() -> None:
    plan = decide(stopped(created=True, printableStatus="Stopping", stateChangeRequests=RESTART))
    assert created(plan, kinds.INTERNAL_INSTANCE) == []
    status = patch_of(plan, kinds.INTERNAL_VM)["status"]
    assert (status["printableStatus"], status["created"]) == ("Stopped", False)
    assert status["stateChangeRequests"] == [{"action": "Start"}]


def test_a_restart_waits_for_the_controller_to_see_the_stop_but_not_for_ever() -> None:
    assert created(decide(stopped(), phase="Stopping"), kinds.INTERNAL_INSTANCE) == []
    assert len(created(decide(stopped(), phase="Stopped"), kinds.INTERNAL_INSTANCE)) == 1
    later = NOW + datetime.timedelta(seconds=6)
    assert (
        len(created(decide(stopped(), phase="Stopping", now=later), kinds.INTERNAL_INSTANCE)) == 1
    )


def test_no_instance_is_made_in_the_second_of_the_signal() -> None:
    same = stopped(stoppingSince="2026-01-01T12:00:05.100000+00:00")
    plan = decide(same, phase="Stopped")
    assert created(plan, kinds.INTERNAL_INSTANCE) == []
    assert plan.again_after is not None
    assert 0.59 < plan.again_after < 0.61


def test_a_pod_taken_away_fails_its_instance() -> None:
    plan = decide(internal(MAIN, created=True), instance(MAIN))
    assert patch_of(plan, kinds.INTERNAL_INSTANCE)["status"] == {"phase": "Failed"}


def test_a_running_settled_vm_causes_no_write() -> None:
    kvvm, vmi = internal(MAIN), instance(MAIN, reported=("default",))
    status = patch_of(decide(kvvm, vmi, pod()), kinds.INTERNAL_VM)["status"]
    kept = {key: value for key, value in status.items() if value is not None}
    later = NOW + datetime.timedelta(hours=1)
    assert decide(internal(MAIN, **kept), vmi, pod(), now=later).writes == ()


def test_a_differing_nic_requires_a_restart() -> None:
    plan = decide(internal({**MAIN, "acpiIndex": 7}), instance(MAIN, reported=("default",)), pod())
    kinds_of = {c["type"] for c in patch_of(plan, kinds.INTERNAL_VM)["status"]["conditions"]}
    assert "RestartRequired" in kinds_of
