"""The hub: the network namespace in which the bridges of all nodes meet, and Main's gateway.

Nodes make their own namespaces and plug them into the hub. Namespaces are made by a child process,
since the rig, which shares the host's own network namespace, could not return there.
"""

from __future__ import annotations

from e2e.environments.embedded import settings
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.supervisor import Supervisor

# Duplicate address detection would make a bridge's link-local address wait for a second or two.
_QUIET = (
    "for s in accept_dad dad_transmits; do for d in all default; do"
    " f=/proc/sys/net/ipv6/conf/$d/$s; [ ! -e $f ] || echo 0 > $f; done; done"
)


async def make_hub(layout: Layout, supervisor: Supervisor) -> None:
    """Makes the hub with the bridge of Main, which has the gateway's address.

    Raises:
        BringUpFailed: the kernel refuses.
    """
    place = layout.netns(settings.HUB)
    place.touch()
    bridge = settings.MAIN_BRIDGE
    address = f"{settings.MAIN_GATEWAY}/{settings.MAIN_PREFIX_LENGTH}"
    commands = (
        _QUIET,
        "ip link set lo up",
        f"ip link add {bridge} type bridge forward_delay 0 mcast_snooping 0",
        f"ip address add {address} dev {bridge}",
        f"ip link set {bridge} up",
    )
    script = " && ".join(f"{{ {command}; }}" for command in commands)
    await supervisor.run("hub", ["unshare", f"--net={place}", "sh", "-c", script])
