"""Sessions through a proxy command with a real SSH server at its other end."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from e2e.environments.embedded.certificates import ssh_key
from fixtures.errors import GuestUnreachable
from fixtures.guest import keys
from fixtures.guest.session import Session, Sessions, Target
from tests.integration.guest.ssh_server import SshServer

SOCAT = shutil.which("socat") or "socat"
TargetOf = Callable[..., Target]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("host", "client", "stranger"):
        (folder / f"{name}.pub").write_text(ssh_key(folder / name))
    return folder


@pytest.fixture
def server(folder: Path) -> Iterator[SshServer]:
    host, client = (keys.private(folder / name) for name in ("host", "client"))
    server = SshServer(host, client)
    yield server
    server.stop()


@pytest.fixture
def target(server: SshServer, folder: Path) -> TargetOf:
    def target(*, key: str = "client", host_key: str = "host") -> Target:
        return Target(
            name="web",
            host="10.66.10.1",
            user="root",
            private_key=folder / key,
            host_key=(folder / f"{host_key}.pub").read_text() if host_key else "",
            command=(SOCAT, "-", f"TCP:127.0.0.1:{server.port},nodelay"),
        )

    return target


@pytest.fixture
def sessions(target: TargetOf) -> Iterator[Sessions]:
    sessions = Sessions(target())
    yield sessions
    sessions.close()


def test_output_errors_and_status_of_a_command(sessions: Sessions) -> None:
    result = sessions.run("echo out; echo err >&2; exit 3")
    assert (result.exit_status, result.stdout, result.stderr) == (3, "out\n", "err\n")


def test_one_connection_serves_many_commands_of_a_thread(
    sessions: Sessions, server: SshServer
) -> None:
    for number in range(5):
        assert sessions.run(f"echo {number}").stdout == f"{number}\n"
    assert server.connections == 1


def test_each_thread_has_a_connection_of_its_own(sessions: Sessions, server: SshServer) -> None:
    together = threading.Barrier(4)

    def work(number: int) -> str:
        together.wait()
        return sessions.run(f"echo {number}").stdout

    with ThreadPoolExecutor(max_workers=4) as pool:
        assert sorted(pool.map(work, range(4))) == ["0\n", "1\n", "2\n", "3\n"]
    assert server.connections == 4


def test_a_connection_that_died_is_opened_again(sessions: Sessions, server: SshServer) -> None:
    sessions.run("true")
    server.cut()
    assert sessions.run("echo again").stdout == "again\n"
    assert server.connections == 2


def test_a_connection_that_dies_under_a_command_is_told_and_not_tried_again(
    sessions: Sessions, server: SshServer, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    cutter = threading.Thread(target=_cut_once, args=(server, begun))
    cutter.start()
    with pytest.raises(GuestUnreachable, match=r"guest web at 10.66.10.1: running"):
        sessions.run(f"echo x >> {begun}; exec sleep 30")
    cutter.join()
    assert begun.read_text() == "x\n"


def _cut_once(server: SshServer, begun: Path) -> None:
    while not begun.exists():
        threading.Event().wait(0.01)
    server.cut()


def test_another_host_key_is_no_guest_of_ours(target: TargetOf) -> None:
    with pytest.raises(GuestUnreachable, match="does not match"):
        Session(target(host_key="stranger"))


def test_without_a_pinned_key_the_first_one_is_taken(target: TargetOf) -> None:
    session = Session(target(host_key=""))
    assert session.run("true").exit_status == 0
    session.close()


def test_a_key_that_the_guest_does_not_know_is_told(target: TargetOf) -> None:
    with pytest.raises(GuestUnreachable, match="Authentication failed"):
        Session(target(key="stranger"))


def test_a_closed_port_is_told_with_what_the_proxy_said(
    target: TargetOf, server: SshServer
) -> None:
    found = target()
    server.stop()
    with pytest.raises(GuestUnreachable, match="Connection refused"):
        Session(found)


def test_a_stream_yields_lines_as_they_come_and_ends_with_the_connection(
    sessions: Sessions, server: SshServer
) -> None:
    lines = sessions.fresh().stream("echo one; echo two; exec sleep 30")
    assert [next(lines), next(lines)] == ["one\n", "two\n"]
    server.cut()
    assert list(lines) == []


def test_closing_ends_all_connections_and_their_proxies(target: TargetOf) -> None:
    sessions = Sessions(target())
    sessions.run("true")
    extra = sessions.fresh()
    sessions.close()
    assert not extra.alive
