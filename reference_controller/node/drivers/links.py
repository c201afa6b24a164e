"""Bridges, veths and taps of one node: what SDN's node part makes.

A network is one bridge of the same name in the hub and on each node, joined by one veth per node,
so that cutting a veth isolates one network on one node. The kernel is the record: what a link is
for stands in its alias, from which `load` finds it again after a restart of the agent.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyroute2 import IPRoute, NetlinkError

from reference_controller.node.drivers.netns import Netns

TUNSETIFF = 0x400454CA
TUNSETPERSIST = 0x400454CB
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000
NAME_LIMIT = 15
"""Characters in the name of a link (IFNAMSIZ less the final zero)."""


class LinkRefused(Exception):
    """The kernel did not take a change of a link; the message names the link."""


@dataclass(frozen=True)
class Bridge:
    """A network's bridge on this node, joined to the hub. `alias` says whose it is."""

    name: str
    alias: str


@dataclass(frozen=True)
class Tap:
    """A tap for one NIC; `mac` is the tap's own address, not the guest's."""

    name: str
    bridge: str
    alias: str
    mac: str


def link_name(prefix: str, *parts: str) -> str:
    """A name of at most 15 characters that depends on all `parts`."""
    digest = hashlib.sha256("/".join(parts).encode()).hexdigest()
    return (prefix + digest)[:NAME_LIMIT]


def tap_mac(name: str) -> str:
    """A tap's own address: high, so that the bridge never takes a guest's place for it."""
    return "fe:" + hashlib.sha256(name.encode()).digest()[:5].hex(":")


class Links:
    """The links of node `node`; every method may be repeated."""

    def __init__(self, node: Netns, hub: Netns) -> None:
        self._node = node
        self._hub = hub
        self._at_node: Any = None
        self._at_hub: Any = None
        self._bridges: dict[str, Bridge] = {}
        self._taps: dict[str, Tap] = {}

    @property
    def bridges(self) -> Mapping[str, Bridge]:
        """The bridges that are complete, by name."""
        return self._bridges

    @property
    def taps(self) -> Mapping[str, Tap]:
        """The taps that are complete, by name."""
        return self._taps

    async def load(self) -> None:
        """Connect to both kernels' link tables and take in what is there already."""
        self._at_node = await self._node.run(IPRoute)
        self._at_hub = await self._hub.run(IPRoute)
        loopback = {"index": 1, "state": "up"}
        await self._node.run(self._at_node.link, "set", **loopback)
        links = await self._node.run(lambda: list(self._at_node.get_links()))
        names = {link["index"]: link.get("ifname") for link in links}
        for link in links:
            name, alias = link.get("ifname"), link.get("ifalias")
            if not alias:
                continue
            if _kind(link) == "bridge":
                self._bridges[name] = Bridge(name, alias)
            elif _kind(link) == "tun" and link.get("master") in names:
                bridge = names[link.get("master")]
                self._taps[name] = Tap(name, bridge, alias, link.get("address"))

    async def add_bridge(self, name: str, alias: str) -> Bridge:
        """The bridge `name` here and in the hub, and the veth that joins them.

        Raises:
            LinkRefused: the kernel said no.
        """
        uplink, downlink = self._veth(name)
        try:
            at_hub = await self._hub.run(_ensure_bridge, self._at_hub, name, "")
            await self._node.run(self._join, name, uplink, downlink)
            await self._hub.run(_enslave, self._at_hub, downlink, at_hub)
            # The alias comes last: a bridge that has one is complete.
            await self._node.run(_ensure_bridge, self._at_node, name, alias)
        except (NetlinkError, OSError) as exc:
            raise LinkRefused(f"bridge {name} of {alias} on {self._node.name}: {exc}") from exc
        self._bridges[name] = Bridge(name, alias)
        return self._bridges[name]

    async def remove_bridge(self, name: str) -> None:
        """Take the bridge away here, and in the hub once no node is joined to it."""
        uplink, _ = self._veth(name)
        self._bridges.pop(name, None)
        await self._node.run(_delete, self._at_node, uplink)
        await self._node.run(_delete, self._at_node, name)
        await self._hub.run(_delete_empty_bridge, self._at_hub, name)

    async def add_tap(self, name: str, bridge: str, alias: str) -> Tap:
        """A persistent tap on `bridge`, for a QEMU to open by name.

        Raises:
            LinkRefused: the kernel said no, or the bridge is not there.
        """
        mac = tap_mac(name)
        try:
            await self._node.run(self._make_tap, name, bridge, alias, mac)
        except (NetlinkError, OSError) as exc:
            raise LinkRefused(f"tap {name} on {bridge} of {self._node.name}: {exc}") from exc
        self._taps[name] = Tap(name, bridge, alias, mac)
        return self._taps[name]

    async def remove_tap(self, name: str) -> None:
        """Delete a tap; one that is gone already is no error."""
        self._taps.pop(name, None)
        await self._node.run(_delete, self._at_node, name)

    async def close(self) -> None:
        """Let go of the link tables; the links stay."""
        for namespace, table in ((self._node, self._at_node), (self._hub, self._at_hub)):
            if table is not None:
                await namespace.run(table.close)

    def _veth(self, bridge: str) -> tuple[str, str]:
        """Names of the veth's ends at the node and in the hub."""
        return link_name("u", bridge), link_name("d", self._node.name, bridge)

    def _join(self, name: str, uplink: str, downlink: str) -> None:
        index = _ensure_bridge(self._at_node, name, "")
        if _index(uplink) is None:
            hub = os.open(self._hub.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                peer = {"ifname": downlink, "net_ns_fd": hub}
                _add(self._at_node, ifname=uplink, kind="veth", peer=peer)
            finally:
                os.close(hub)
        _enslave(self._at_node, uplink, index)

    def _make_tap(self, name: str, bridge: str, alias: str, mac: str) -> None:
        master = socket.if_nametoindex(bridge)
        if _index(name) is None:
            _create_tap(name)
        index = socket.if_nametoindex(name)
        state: dict[str, Any] = {"address": mac, "ifalias": alias, "master": master, "state": "up"}
        self._at_node.link("set", index=index, **state)


def _create_tap(name: str) -> None:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    try:
        request = struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI)
        fcntl.ioctl(descriptor, TUNSETIFF, request)
        fcntl.ioctl(descriptor, TUNSETPERSIST, 1)
    finally:
        os.close(descriptor)


def _ensure_bridge(table: Any, name: str, alias: str) -> int:
    if _index(name) is None:
        # A guest must not wait for the bridge to learn or to join groups.
        _add(table, ifname=name, kind="bridge", br_forward_delay=0, br_mcast_snooping=0)
    index = socket.if_nametoindex(name)
    described = {"ifalias": alias} if alias else {}
    table.link("set", index=index, state="up", **described)
    return index


def _enslave(table: Any, name: str, master: int) -> None:
    table.link("set", index=socket.if_nametoindex(name), master=master, state="up")


def _add(table: Any, **link: Any) -> None:
    try:
        table.link("add", **link)
    except NetlinkError as exc:
        if exc.code != errno.EEXIST:
            raise


def _delete(table: Any, name: str) -> None:
    index = _index(name)
    if index is None:
        return
    try:
        table.link("del", index=index)
    except NetlinkError as exc:
        if exc.code != errno.ENODEV:
            raise LinkRefused(f"{name} cannot be deleted: {exc}") from exc


def _delete_empty_bridge(table: Any, name: str) -> None:
    index = _index(name)
    if index is not None and not any(link.get("master") == index for link in table.get_links()):
        _delete(table, name)


def _index(name: str) -> int | None:
    try:
        return socket.if_nametoindex(name)
    except OSError:
        return None


def _kind(link: Any) -> str | None:
    kind = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_KIND")
    return str(kind) if kind else None
