"""What a VM needs before it may start, and the conditions that report it (spec 2.7, D33).

Networks never block a start, but for one case: additional ones while the SDN module is off.
"""

from __future__ import annotations

from reference_controller.api import conditions, networks
from reference_controller.api.conditions import Condition

from . import dependencies
from .addresses import MainAddress
from .comparator import Verdict
from .interfaces import Desired
from .world import World

CLASS_READY = "VirtualMachineClassReady"
DEVICES_READY = "BlockDevicesReady"


def missing(world: World, verdict: Verdict, main: MainAddress) -> str:
    """The first thing that start and apply wait for; empty when there is none."""
    if not world.class_exists:
        return f"VirtualMachineClass {world.vm.spec.class_name!r} is not found"
    if world.missing_images:
        return "block devices are not there: " + ", ".join(world.missing_images)
    if main.wanted and not main.address:
        return main.problem
    if networks.additional(verdict.spec.networks) and not world.settings.sdn_enabled:
        return "additional networks need the SDN module, which is switched off"
    return ""


def ready_to_start(world: World, verdict: Verdict, desired: Desired, main: MainAddress) -> bool:
    """Whether a first instance may be made now.

    MAC addresses that the controller itself is making take some milliseconds: waiting for them
    spares the new guest a hotplug. Those of a user do not hold up a start (D33).
    """
    if dependencies.missing(world, verdict, main):
        return False
    return not any(choice.transient for choice in desired.choices.values())


def report(world: World) -> list[Condition]:
    """The conditions on the VM's class and block devices."""
    generation = world.vm.metadata.generation
    name = world.vm.spec.class_name
    if world.class_exists:
        result = [conditions.wanted(CLASS_READY, "True", "ClassReady", "", generation)]
    else:
        message = f"VirtualMachineClass {name!r} is not found; create it or name another one"
        result = [conditions.wanted(CLASS_READY, "False", "ClassNotReady", message, generation)]
    if world.missing_images:
        message = "not found: " + ", ".join(world.missing_images)
        reason = "BlockDevicesNotReady"
        result.append(conditions.wanted(DEVICES_READY, "False", reason, message, generation))
    else:
        reason = "BlockDevicesReady"
        result.append(conditions.wanted(DEVICES_READY, "True", reason, "", generation))
    return result
