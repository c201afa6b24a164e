"""What a decision about one internal VM is made from."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from reference_controller.api.internal import Instance, InternalVM, LauncherPod
from reference_controller.api.machines import VirtualMachine


@dataclass(frozen=True)
class Node:
    """A node that may run guests."""

    name: str
    labels: dict[str, str]
    ready: bool
    guests: int
    slots: int


@dataclass(frozen=True)
class World:
    """One internal VM and what belongs to it.

    Attributes:
        internal: the internal VM (KVVM), None when it is gone.
        instance: its instance (VMI).
        pods: its launcher pods, oldest first.
        machine: the user's VM; its phase says what its controller has seen (seam 1).
        nodes: candidates for a new launcher pod.
        now: the present time, UTC.
    """

    internal: InternalVM | None
    instance: Instance | None
    pods: tuple[LauncherPod, ...]
    machine: VirtualMachine | None
    nodes: tuple[Node, ...]
    now: datetime.datetime
