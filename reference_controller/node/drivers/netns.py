"""A network namespace that this process can act in: a thread that has entered it, and stays.

Sockets and devices opened in that thread belong to the namespace and may be used from anywhere
afterwards. No process is forked and no other thread changes its namespace.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

NAMES = Path("/run/netns")
"""Where `ip netns` keeps names; ours are visible to it."""
CLONE_NEWNET = 0x40000000
MS_BIND = 0x1000
MNT_DETACH = 2

P = ParamSpec("P")
R = TypeVar("R")


class NetnsUnusable(Exception):
    """The namespace cannot be made or entered; the message says which and why."""


class Netns:
    """Handle of one namespace. Make it with `enter` or `create`."""

    def __init__(self, path: Path, executor: ThreadPoolExecutor) -> None:
        self.path = path
        self._executor = executor

    @property
    def name(self) -> str:
        """The name under which `ip netns` knows it."""
        return self.path.name

    @classmethod
    async def enter(cls, name: str) -> Netns:
        """The existing namespace `name`.

        Raises:
            NetnsUnusable: there is none, or it may not be entered.
        """
        return await cls._open(name, _enter)

    @classmethod
    async def create(cls, name: str) -> Netns:
        """The namespace `name`, made if it is not there yet.

        Raises:
            NetnsUnusable: it can neither be entered nor made.
        """
        return await cls._open(name, _enter_or_create)

    @classmethod
    async def _open(cls, name: str, start: Callable[[Path], None]) -> Netns:
        path = NAMES / name
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"netns-{name}")
        namespace = cls(path, executor)
        try:
            await namespace.run(start, path)
        except OSError as exc:
            executor.shutdown()
            raise NetnsUnusable(
                f"network namespace {name} ({path}): {exc}; the node agent needs to be root,"
                " or root of a user namespace (the rig makes one)"
            ) from exc
        return namespace

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a blocking function inside the namespace."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, lambda: function(*args, **kwargs))

    def close(self) -> None:
        """End the thread; the namespace stays."""
        self._executor.shutdown()

    def remove(self) -> None:
        """End the thread and take the name away; the namespace goes with its last user."""
        self.close()
        path = str(self.path).encode()
        _check(_libc().umount2(path, MNT_DETACH), f"umount {self.path}")
        self.path.unlink()


def _enter(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(_libc().setns(descriptor, CLONE_NEWNET), f"setns {path}")
    finally:
        os.close(descriptor)


def _enter_or_create(path: Path) -> None:
    try:
        return _enter(path)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A name without a namespace behind it: whoever made it died half-way.
        path.unlink()
    libc = _libc()
    _check(libc.unshare(CLONE_NEWNET), "unshare")
    with suppress(FileExistsError):
        path.touch(exist_ok=False)
    here = f"/proc/self/task/{threading.get_native_id()}/ns/net"
    _check(libc.mount(here.encode(), str(path).encode(), b"none", MS_BIND, None), f"mount {path}")
    # Nodes and bridges are switches, not IPv6 hosts: without this each link greets the guests.
    with suppress(FileNotFoundError):
        for scope in ("all", "default"):
            Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6").write_text("1")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
