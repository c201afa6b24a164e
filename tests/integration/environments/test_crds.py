"""The CRDs of the contract on a real API server: what kubectl prints, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.environments.conftest import Kubectl

V1ALPHA2 = "virtualization.deckhouse.io/v1alpha2"
SDN = "network.deckhouse.io/v1alpha1"
INTERNAL = "internal.virtualization.deckhouse.io/v1"
NOW = "2026-08-01T00:00:00Z"


def condition(kind: str, status: str = "True") -> dict[str, Any]:
    return {
        "type": kind,
        "status": status,
        "reason": "Test",
        "message": "",
        "lastTransitionTime": NOW,
    }


def document(api: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec}


def machine(name: str, **spec: Any) -> dict[str, Any]:
    required = {
        "virtualMachineClassName": "generic",
        "cpu": {"cores": 1},
        "memory": {"size": "1Gi"},
        "blockDeviceRefs": [{"kind": "ClusterVirtualImage", "name": "plumbline"}],
    }
    return document(V1ALPHA2, "VirtualMachine", name, {**required, **spec})


def test_get_vm_prints_the_columns_of_the_specification(kubectl: Kubectl) -> None:
    kubectl.make(
        machine("printed"),
        {
            "phase": "Running",
            "nodeName": "node-a",
            "ipAddress": "10.66.10.1",
            "stats": {"lastStartTime": NOW},
            "resources": {"cpu": {"cores": 1, "coreFraction": "100%"}, "memory": {"size": "1Gi"}},
            "conditions": [condition("AgentReady"), condition("Migratable", "False")],
        },
    )
    header, row = kubectl.table("vm")
    assert header == ["NAME", "PHASE", "UPTIME", "NODE", "IPADDRESS", "AGE"]
    assert row[:2] + row[3:5] == ["printed", "Running", "node-a", "10.66.10.1"]
    header, row = kubectl.table("vm", "-o", "wide")
    assert header == [
        *("NAME", "PHASE", "UPTIME", "CORES", "COREFRACTION", "MEMORY", "NEED RESTART"),
        *("AGENT", "MIGRATABLE", "NODE", "IPADDRESS", "AGE"),
    ]
    # A condition that does not exist prints blank.
    assert row[3:9] == ["1", "100%", "1Gi", "", "True", "False"]


def test_vm_defaults(kubectl: Kubectl) -> None:
    kubectl.make(machine("defaulted"))
    path = (
        "{.spec.runPolicy} {.spec.disruptions.restartApprovalMode} {.spec.liveMigrationPolicy}"
        " {.spec.enableParavirtualization}"
    )
    shown = kubectl("get", "vm", "defaulted", "-o", f"jsonpath={path}")
    assert shown.stdout == "AlwaysOnUnlessStoppedManually Manual PreferSafe true"


@pytest.mark.parametrize(
    ("spec", "token"),
    [
        ({"networks": [{"name": "a"}]}, "networks[0].type"),
        ({"networks": [{"type": "Other"}]}, "networks[0].type"),
        ({"networks": [{"type": "Network", "name": ""}]}, "networks[0].name"),
        ({"networks": [{"type": "Main", "ipAddressName": ""}]}, "networks[0].ipAddressName"),
        ({"virtualMachineIPAddressName": ""}, "virtualMachineIPAddressName"),
        ({"runPolicy": "Never"}, "runPolicy"),
        ({"liveMigrationPolicy": "Manual"}, "liveMigrationPolicy"),
        ({"disruptions": {"restartApprovalMode": "Never"}}, "restartApprovalMode"),
        ({"blockDeviceRefs": []}, "blockDeviceRefs"),
        ({"cpu": {"cores": 1, "coreFraction": "0%"}}, "coreFraction"),
        ({"osType": "Legacy", "bootloader": "EFI"}, "Legacy"),
    ],
)
def test_vm_that_is_refused(kubectl: Kubectl, spec: dict[str, Any], token: str) -> None:
    refused = kubectl("create", "-f", "-", given=machine("refused", **spec))
    assert refused.returncode != 0
    assert token in refused.stderr


@pytest.mark.parametrize("field", ["virtualMachineClassName", "cpu", "memory", "blockDeviceRefs"])
def test_vm_without_a_required_field_is_refused(kubectl: Kubectl, field: str) -> None:
    manifest = machine("incomplete")
    del manifest["spec"][field]
    refused = kubectl("create", "--validate=false", "-f", "-", given=manifest)
    assert f"spec.{field}: Required value" in refused.stderr


ADDRESS = ["NAME", "ADDRESS", "STATUS", "VM", "AGE"]
CLAIMED = {"address": "x", "virtualMachineName": "a", "phase": "Attached"}


@pytest.mark.parametrize(
    ("manifest", "status", "short", "header", "row"),
    [
        (
            document(V1ALPHA2, "VirtualMachineIPAddress", "ip", {"type": "Auto"}),
            CLAIMED,
            "vmip",
            ADDRESS,
            ["ip", "x", "Attached", "a"],
        ),
        (
            document(V1ALPHA2, "VirtualMachineMACAddress", "mac", {"address": "5E-e6:19-54:f9:be"}),
            CLAIMED,
            "vmmac",
            ADDRESS,
            ["mac", "x", "Attached", "a"],
        ),
        (
            document(
                V1ALPHA2,
                "VirtualMachineIPAddressLease",
                "ip-10-66-10-1",
                {"virtualMachineIPAddressRef": {"name": "", "namespace": "n"}},
            ),
            {"phase": "Released"},
            "vmiplease",
            ["NAME", "VIRTUALMACHINEIPADDRESS", "STATUS", "AGE"],
            ["ip-10-66-10-1", '{"name":"","namespace":"n"}', "Released"],
        ),
        (
            document(
                V1ALPHA2,
                "VirtualMachineMACAddressLease",
                "mac-1",
                {"virtualMachineMACAddressRef": {"name": "m", "namespace": "n"}},
            ),
            {"phase": "Bound"},
            "vmmacl",
            ["NAME", "VIRTUALMACHINEMACADDRESS", "STATUS", "AGE"],
            ["mac-1", '{"name":"m","namespace":"n"}', "Bound"],
        ),
        (
            document(
                V1ALPHA2,
                "VirtualMachineOperation",
                "op",
                {"type": "Restart", "virtualMachineName": "a"},
            ),
            {"phase": "InProgress", "progress": "33%"},
            "vmop",
            ["NAME", "PHASE", "PROGRESS", "TYPE", "VIRTUALMACHINE", "AGE"],
            ["op", "InProgress", "33%", "Restart", "a"],
        ),
        (
            document(
                SDN,
                "IPAddress",
                "address",
                {"networkRef": {"kind": "Network", "name": "n"}, "type": "Auto"},
            ),
            {"address": "192.168.0.2", "network": "192.168.0.0/24", "phase": "Allocated"},
            "ipaddresses.network.deckhouse.io",
            ["NAME", "TYPE", "KIND", "NAME", "ADDRESS", "NETWORK", "PHASE", "AGE"],
            ["address", "Auto", "Network", "n", "192.168.0.2", "192.168.0.0/24", "Allocated"],
        ),
        (
            document(INTERNAL, "InternalVirtualizationVirtualMachine", "a", {"template": {}}),
            {"printableStatus": "Running", "conditions": [condition("Ready")]},
            "intvirtvm",
            ["NAME", "AGE", "STATUS", "READY"],
            [],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_get_prints_the_columns_of_the_specification(
    kubectl: Kubectl,
    manifest: dict[str, Any],
    status: dict[str, Any],
    short: str,
    header: list[str],
    row: list[str],
) -> None:
    kubectl.make(manifest, status)
    shown_header, shown_row = kubectl.table(short)
    assert shown_header == header
    assert shown_row[: len(row)] == row


def test_an_instance_has_no_status_subresource(kubectl: Kubectl) -> None:
    manifest = document(INTERNAL, "InternalVirtualizationVirtualMachineInstance", "a", {})
    manifest["status"] = {
        "phase": "Running",
        "nodeName": "node-a",
        "interfaces": [{"ipAddress": "10.66.10.1"}],
    }
    kubectl.make(manifest)
    header, row = kubectl.table("intvirtvmi")
    assert header == ["NAME", "AGE", "PHASE", "IP", "NODENAME", "READY"]
    assert row[2:] == ["Running", "10.66.10.1", "node-a", ""]


@pytest.mark.parametrize(
    ("spec", "token"),
    [
        ({"type": "Start", "virtualMachineName": "a", "force": True}, "forced"),
        ({"type": "Clone", "virtualMachineName": "a"}, "spec.clone"),
        ({"type": "Restore", "virtualMachineName": "a"}, "spec.restore"),
        ({"type": "Stop", "virtualMachineName": "a", "migrate": {}}, "Migrate"),
        ({"type": "Stop", "virtualMachineName": ""}, "virtualMachineName"),
    ],
)
def test_operation_that_is_refused(kubectl: Kubectl, spec: dict[str, Any], token: str) -> None:
    manifest = document(V1ALPHA2, "VirtualMachineOperation", "refused", spec)
    refused = kubectl("create", "-f", "-", given=manifest)
    assert refused.returncode != 0
    assert token in refused.stderr


def test_an_operation_cannot_be_changed(kubectl: Kubectl) -> None:
    spec = {"type": "Stop", "virtualMachineName": "a"}
    kubectl.make(document(V1ALPHA2, "VirtualMachineOperation", "fixed", spec))
    patch = '--patch={"spec":{"type":"Restart"}}'
    refused = kubectl("patch", "vmop", "fixed", "--type=merge", patch)
    assert "immutable" in refused.stderr


@pytest.mark.parametrize("address", ["5e:e6:19:54:f9", "5e:e6:19:54:f9:bg", "5ee61954f9be"])
def test_a_mac_address_that_is_none_is_refused(kubectl: Kubectl, address: str) -> None:
    manifest = document(V1ALPHA2, "VirtualMachineMACAddress", "bad", {"address": address})
    assert "spec.address" in kubectl("create", "-f", "-", given=manifest).stderr


def test_the_pool_of_a_network_cannot_be_changed(kubectl: Kubectl) -> None:
    pool = {"ipAddressPoolRef": {"kind": "ClusterIPAddressPool", "name": "p"}}
    kubectl.make(document(SDN, "ClusterNetwork", "fixed", {"type": "Access", "ipam": pool}))
    for patch in ('{"spec":{"ipam":null}}', '{"spec":{"ipam":{"ipAddressPoolRef":{"name":"q"}}}}'):
        refused = kubectl("patch", "clusternetwork", "fixed", "--type=merge", f"--patch={patch}")
        assert "immutable" in refused.stderr


def test_both_versions_of_a_class_are_served(kubectl: Kubectl) -> None:
    kubectl.make(document(V1ALPHA2, "VirtualMachineClass", "generic", {"cpu": {"type": "Host"}}))
    newer = "virtualmachineclasses.v1alpha3.virtualization.deckhouse.io"
    shown = kubectl("get", newer, "generic", "-o", "jsonpath={.apiVersion} {.spec.cpu.type}")
    assert shown.stdout == "virtualization.deckhouse.io/v1alpha3 Host"


def test_categories(kubectl: Kubectl) -> None:
    for category in ("all", "virtualization", "virtualization-cluster", "intvirt"):
        assert kubectl("get", category).returncode == 0
