"""Free ports on the loopback device."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def listening() -> socket.socket:
    """A socket that listens on a free port; pass its descriptor on and nobody can take the port."""
    opened = socket.create_server((LOOPBACK, 0), backlog=1024)
    opened.set_inheritable(True)
    return opened


def free(count: int) -> list[int]:
    """Ports that were free a moment ago, for programs that insist on opening them themselves.

    Somebody may be faster, so whoever uses them must be ready to try again.
    """
    opened = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    numbers = [int(item.getsockname()[1]) for item in opened]
    for item in opened:
        item.close()
    return numbers


def number(opened: socket.socket) -> int:
    return int(opened.getsockname()[1])
