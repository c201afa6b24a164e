"""The control plane on a machine where others take ports too."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from e2e.environments.embedded import ports
from e2e.environments.embedded.control_plane import ControlPlaneProcesses
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.supervisor import Supervisor
from e2e.environments.embedded.trouble import BringUpFailed
from tools.controlplane import locate


def started(folder: Path) -> str:
    """Starts etcd and the API server, ends them again; the server's URL."""

    async def main() -> str:
        layout = Layout(folder)
        layout.make()
        supervisor = Supervisor(layout.logs)
        try:
            processes = ControlPlaneProcesses(locate(), layout, supervisor)
            return (await processes.start_api("test")).url
        finally:
            for child in supervisor.children:
                child.kill(signal.SIGKILL)
            await asyncio.gather(*(child.exited for child in supervisor.children))

    return asyncio.run(main())


@pytest.mark.parametrize(("server", "position"), [("etcd", 0), ("kube-apiserver", 2)])
def test_a_port_that_somebody_was_faster_to_take(
    server: str, position: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = ports.free
    with ports.listening() as taken:
        port = ports.number(taken)
        unlucky = iter([True])

        def free(count: int) -> list[int]:
            found = find(count)
            if next(unlucky, False):
                found[position] = port
            return found

        monkeypatch.setattr(ports, "free", free)
        assert not started(tmp_path).endswith(f":{port}")
    log = (Layout(tmp_path).logs / f"{server}.log").read_text()
    assert "address already in use" in log


def test_ports_that_are_always_taken_are_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = ports.free
    with ports.listening() as taken:
        port = ports.number(taken)
        monkeypatch.setattr(ports, "free", lambda count: [port, *find(count - 1)])
        with pytest.raises(BringUpFailed) as caught:
            started(tmp_path)
    assert caught.value.part == "etcd"
    assert any(str(port) in line and "in use" in line for line in caught.value.log)
