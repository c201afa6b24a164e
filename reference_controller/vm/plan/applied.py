"""Whether the spec has reached the guest: ConfigurationApplied and AwaitingRestart (spec 2.4, 2.5).

Both are stored only while there is something to say, and never where no guest runs (D24).
"""

from __future__ import annotations

from reference_controller.api import conditions
from reference_controller.api.conditions import Condition

from . import applied, handshake, lifecycle
from .comparator import Verdict
from .handshake import Handshake
from .interfaces import Desired
from .world import World

APPLIED = "ConfigurationApplied"
AWAITING_RESTART = "AwaitingRestartToApplyConfiguration"


def report(
    world: World, verdict: Verdict, desired: Desired, state: Handshake, missing: str, phase: str
) -> list[Condition]:
    """Both conditions as they shall be stored in `phase`."""
    if phase in lifecycle.START_PHASES:
        return []
    return [
        *applied.configuration(world, verdict, desired, state, missing),
        *applied.restart(world, verdict),
    ]


def configuration(
    world: World, verdict: Verdict, desired: Desired, state: Handshake, missing: str
) -> list[Condition]:
    """ConfigurationApplied=False with the first thing that is waited for."""
    message = ""
    if missing:
        message = f"waiting: {missing}"
    elif state.waiting:
        message = f"waiting until SDN has set up the networks: {handshake.pending_keys(state)}"
    elif desired.replugging:
        keys = ", ".join(map(str, desired.replugging))
        message = f"waiting until the guest has released the former interface of: {keys}"
    elif verdict.waiting:
        message = "waiting for a restart of the virtual machine: " + _paths(verdict)
    if not message:
        return []
    generation = world.vm.metadata.generation
    return [conditions.wanted(APPLIED, "False", "ConfigurationNotApplied", message, generation)]


def restart(world: World, verdict: Verdict) -> list[Condition]:
    """AwaitingRestartToApplyConfiguration=True while only a restart can help."""
    generation = world.vm.metadata.generation
    if verdict.waiting and lifecycle.started(world):
        message = "a restart of the virtual machine will apply: " + _paths(verdict)
        reason = "ChangesPendingRestart"
        return [conditions.wanted(AWAITING_RESTART, "True", reason, message, generation)]
    if world.internal is None or lifecycle.requested_actions(world):
        return []
    if conditions.holds(world.internal.status.conditions, "RestartRequired"):
        message = "the internal virtual machine asks for a restart"
        reason = "UnexpectedState"
        return [conditions.wanted(AWAITING_RESTART, "True", reason, message, generation)]
    return []


def _paths(verdict: Verdict) -> str:
    return ", ".join(change.path for change in verdict.waiting)
