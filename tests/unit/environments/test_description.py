"""The description that the suite reads is the one that the environment writes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

from e2e.environments.embedded import description, settings
from e2e.environments.embedded.recipes import GuestFiles
from fixtures.cluster import description as suite
from tools.controlplane import ControlPlane

GUEST = GuestFiles(Path("/g/kernel"), Path("/g/initrd"), Path("/g/template"))
HOST_KEY = "ssh-ed25519 AAAA"


def described(controller: str = "") -> dict[str, object]:
    return description.describe(
        name="local",
        pid=17,
        controller=controller,
        host_key=HOST_KEY,
        binaries=ControlPlane.inside(Path("/bin")),
        guest=GUEST,
    )


def test_the_suite_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "environment.toml"
    path.write_text(description.to_toml(described()))
    found = suite.load(path)
    assert found.name == "local"
    assert found.kubeconfig == Path("/proc/17/root/run/plumbline/admin.kubeconfig")
    assert found.component_users == ("system:serviceaccount:plumbline-system:vm",)
    assert len(found.writers) == 4
    assert found.guest.host_key == HOST_KEY
    assert "--net=/proc/17/root/run/netns/hub" in found.guest.proxy_command
    assert {"hold_sdn_answer", "release_sdn_answer"} <= found.levers.keys()


def test_a_foreign_controller_is_named() -> None:
    assert described("my controller --x")["implementation"] == "my controller --x"
    assert str(described()["implementation"]).startswith("reference_controller.vm ")


def test_toml_survives_awkward_text() -> None:
    document = {"a": 'quote " backslash \\ é\n', "list": ["x", "y"], "t": {"k": 1.5, "e": []}}
    assert tomllib.loads(description.to_toml(document)) == document


def test_the_templates_exist_and_fit_their_kinds() -> None:
    for file, kind in (
        ("virtual-machine", "VirtualMachine"),
        ("cluster-network", "ClusterNetwork"),
        ("network", "Network"),
    ):
        text = (settings.MANIFESTS / f"{file}.yaml").read_text()
        assert yaml.safe_load(text)["kind"] == kind
    assert (
        "networks"
        not in yaml.safe_load((settings.MANIFESTS / "virtual-machine.yaml").read_text())["spec"]
    )
