"""Whole rigs: they come up, they go, and nothing of them is left, however they end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.environments import running
from e2e.environments.embedded import settings
from e2e.environments.running import RunningRig
from fixtures.cluster import description
from fixtures.conformance.exits import Exit
from tools.controlplane import locate

SECONDS = 180
NAME = f"test-{os.getpid()}"
MACHINE = settings.MANIFESTS / "virtual-machine.yaml"


def plumbline(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "e2e.cli", *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    with process:
        output, _ = process.communicate(timeout=SECONDS)
    return process.returncode, output


def until(process: subprocess.Popen[str], words: str) -> None:
    """Reads the output up to a line with these words."""
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"{process.args!r} has never said {words!r}")


def inside(namespace: str) -> list[str]:
    """Processes of a pid namespace, which is named by its link in /proc.

    A zombie holds nothing; it waits for the host's PID 1 to look.
    """
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or os.readlink(entry / "ns" / "pid") != namespace:
                continue
            if "\nState:\tZ" not in (entry / "status").read_text():
                found.append(entry.name)
        except OSError:
            continue  # it ended meanwhile
    return found


@dataclass(frozen=True)
class Traces:
    """What a rig could leave on the host."""

    links: frozenset[str]
    netns: frozenset[str]

    @classmethod
    def now(cls) -> Traces:
        def names(*argv: str) -> frozenset[str]:
            done = subprocess.run(argv, capture_output=True, text=True, check=True)
            return frozenset(line.split()[0] for line in done.stdout.splitlines() if line.strip())

        return cls(names("ip", "-br", "link"), names("ip", "netns"))


def namespace_of(rig: RunningRig) -> str:
    return os.readlink(f"/proc/{rig.pid}/ns/pid")


@dataclass(frozen=True)
class Up:
    """An environment that `plumbline up` has left running."""

    rig: RunningRig
    exported: Path
    said: str

    def kubectl(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(locate().kubectl), f"--kubeconfig={self.exported}", *argv],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One environment for the tests that only look; it is ended as a user would."""
    before = Traces.now()
    exported = tmp_path_factory.mktemp("up") / "kubeconfig"
    status, said = ended(plumbline("up", "--name", NAME, "--kubeconfig", str(exported)))
    assert status == 0, said
    rig = running.find(NAME)
    yield Up(rig, exported, said)
    namespace = namespace_of(rig)
    status, said = ended(plumbline("down", "--name", NAME))
    assert status == 0, said
    assert inside(namespace) == []
    assert not exported.exists()
    after = Traces.now()
    assert after.links - before.links == frozenset()
    assert after.netns - before.netns == frozenset()


def test_it_says_how_to_use_it(up: Up) -> None:
    assert f"export KUBECONFIG={up.exported}" in up.said
    assert f"plumbline down --name {NAME}" in up.said
    assert up.kubectl("get", "vm", "-A").stderr.startswith("No resources found")


def test_its_description_is_one_that_the_suite_can_use(up: Up) -> None:
    found = description.load(up.rig.layout.description)
    assert found.name == NAME
    assert found.audit_log is not None
    assert found.audit_log.stat().st_size > 0
    assert found.guest.private_key.exists()


def test_nodes_class_and_image_are_there(up: Up) -> None:
    nodes = up.kubectl("get", "nodes", "-o", "name").stdout.split()
    assert nodes == ["node/node-a", "node/node-b"]
    for kind, name in (("vmclass", "generic"), ("clustervirtualimage", "plumbline")):
        shown = up.kubectl("get", kind, name, "-o", "jsonpath={.status.phase}")
        assert shown.stdout == "Ready"


def test_a_name_can_be_had_once(up: Up) -> None:
    status, said = ended(plumbline("up", "--name", NAME))
    assert status == Exit.USAGE
    assert NAME in said


def test_a_component_that_is_killed_comes_back_and_its_webhooks_with_it(up: Up) -> None:
    before = up.rig.control.status()["vm"]
    up.rig.control.kill("vm")
    unreached = up.kubectl("apply", "--dry-run=server", "-f", str(MACHINE))
    assert "failed calling webhook" in unreached.stderr
    after = up.rig.control.start("vm")["vm"]
    assert after["port"] != before["port"]
    assert up.kubectl("apply", "--dry-run=server", "-f", str(MACHINE)).returncode == 0


def test_webhooks_can_be_taken_away(up: Up) -> None:
    up.rig.control.webhooks("vm", registered=False)
    listed = up.kubectl("get", "validatingwebhookconfigurations", "-o", "name")
    assert listed.stdout == ""
    up.rig.control.webhooks("vm", registered=True)
    assert up.kubectl("get", "validatingwebhookconfigurations", "-o", "name").stdout != ""


def test_the_hub_is_reached_from_outside(up: Up) -> None:
    enter = description.load(up.rig.layout.description).guest.proxy_command
    argv = [*enter[: enter.index("--") + 1], "ip", "-br", "address", "show", "main"]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert "10.66.0.1/16" in shown


@pytest.mark.parametrize(
    ("victim", "number", "code"),
    [
        ("parent", signal.SIGKILL, Exit.ENVIRONMENT_UNFIT),
        ("rig", signal.SIGKILL, Exit.ENVIRONMENT_UNFIT),
        ("starter", signal.SIGKILL, -signal.SIGKILL),
        ("starter", signal.SIGINT, Exit.INTERRUPTED),
        ("starter", signal.SIGTERM, Exit.TERMINATED),
    ],
)
def test_whoever_is_killed_while_it_comes_up_nothing_is_left(
    victim: str, number: signal.Signals, code: int, tmp_path: Path
) -> None:
    name = f"{NAME}-{victim}-{int(number)}"
    process = plumbline("up", "--name", name, "--kubeconfig", str(tmp_path / "k"))
    until(process, "API server ...")
    rig = running.find(name)
    namespace = namespace_of(rig)
    watched = os.pidfd_open(rig.pid)
    os.kill({"parent": rig.parent, "rig": rig.pid, "starter": process.pid}[victim], number)
    status, said = ended(process)
    assert status == code, said
    # Who was killed could not wait for the rig's end.
    assert select.select([watched], [], [], 10)[0]
    os.close(watched)
    assert inside(namespace) == []
    assert not (tmp_path / "k").exists()


def test_a_controller_that_does_not_stay_up_is_shown_with_its_last_words() -> None:
    status, said = ended(
        plumbline("up", "--name", f"{NAME}-x", "--controller", "sh -c 'echo no idea; exit 9'")
    )
    assert status == Exit.ENVIRONMENT_UNFIT
    assert "ended with status 9" in said
    assert "no idea" in said
