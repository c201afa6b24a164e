"""Carries out a plan's actions with the drivers."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address

import structlog

from reference_controller.node.drivers import dhcp
from reference_controller.node.drivers import links as link_drivers
from reference_controller.node.drivers.guest_agent import AgentRefused, AgentUnavailable
from reference_controller.node.drivers.links import LinkRefused, Links
from reference_controller.node.drivers.machine import Nic
from reference_controller.node.drivers.qemu import GuestGone, NicDiffers, NoFreeSlot, StartFailed
from reference_controller.node.drivers.qmp import QmpClosed, QmpRefused
from reference_controller.node.drivers.template import TemplateUnusable
from reference_controller.node.plan import actions
from reference_controller.node.plan.actions import Action
from reference_controller.node.plan.world import NetworkWorld, Reservation, World

from .machines import Machines

log = structlog.get_logger()
RETRY_SECONDS = 1.0
SERVER = IPv4Address("169.254.0.1")
"""Who answers where a network has no gateway: no guest's address, so renewals are broadcast."""
DRIVER_TROUBLE = (
    AgentRefused,
    AgentUnavailable,
    GuestGone,
    LinkRefused,
    NicDiffers,
    NoFreeSlot,
    OSError,
    QmpClosed,
    QmpRefused,
    StartFailed,
    TemplateUnusable,
)


def tap_name(uid: str, interface: str) -> str:
    """Name of the tap of a pod's interface."""
    return link_drivers.link_name("t", uid, interface)


def tap_alias(uid: str, interface: str) -> str:
    """What stands on the tap in the kernel, for a restarted agent to read."""
    return f"{uid}/{interface}"


class Performer:
    """Does what plans ask, in order, up to the first that fails."""

    def __init__(self, links: Links, responder: dhcp.Responder, machines: Machines) -> None:
        self._links = links
        self._responder = responder
        self._machines = machines

    async def pod(self, world: World, wanted: Sequence[Action]) -> float | None:
        """Actions about one pod.

        Returns:
            seconds after which to try again, or None when all went well.
        """
        for action in wanted:
            try:
                await self._act(world, action)
            except DRIVER_TROUBLE as exc:
                name = type(action).__name__
                log.warning("action failed", action=name, pod=world.uid, error=str(exc))
                return RETRY_SECONDS
        return None

    async def network(self, world: NetworkWorld, wanted: Sequence[Action]) -> str:
        """Actions about one network.

        Returns:
            the trouble, empty when all went well.
        """
        try:
            for action in wanted:
                match action:
                    case actions.MakeBridge():
                        await self._links.add_bridge(world.bridge, world.alias)
                    case actions.RemoveBridge():
                        await self._links.remove_bridge(world.bridge)
        except LinkRefused as exc:
            log.warning("bridge not changed", bridge=world.bridge, error=str(exc))
            return str(exc)
        return ""

    async def _act(self, world: World, action: Action) -> None:
        uid = world.uid
        log.info("action", pod=uid, action=repr(action))
        match action:
            case actions.Admit():
                assert world.pod is not None
                self._machines.admit(uid, world.pod.namespace, world.pod.name)
            case actions.MakeTap(interface, bridge):
                alias = tap_alias(uid, interface)
                await self._links.add_tap(tap_name(uid, interface), bridge, alias)
            case actions.RemoveTap(interface):
                self._responder.forget(tap_name(uid, interface))
                await self._links.remove_tap(tap_name(uid, interface))
            case actions.Serve(interface, reservation):
                await self._responder.serve(tap_name(uid, interface), _served(reservation))
            case actions.Silence(interface):
                self._responder.forget(tap_name(uid, interface))
            case actions.Start(hostname, machine):
                self._machines.start(uid, hostname, machine)
            case actions.Plug(nic_id, interface, mac):
                await self._machines.plug(uid, Nic(nic_id, tap_name(uid, interface), mac))
            case actions.Unplug(nic_id):
                self._machines.unplug(uid, nic_id)
            case actions.Flap(nic_id):
                self._machines.flap(uid, nic_id)
            case actions.Stop():
                await self._machines.stop(uid)
            case actions.Discard():
                await self._machines.discard(uid)


def _served(reservation: Reservation) -> dhcp.Reservation:
    return dhcp.Reservation(
        mac=reservation.mac,
        address=reservation.address,
        server=reservation.gateway or SERVER,
        gateway=reservation.gateway,
        routes=reservation.routes,
    )
