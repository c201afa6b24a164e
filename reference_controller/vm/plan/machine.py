"""The pass over one VM: everything that is to be done now, in the order of spec 4.4."""

from __future__ import annotations

from reference_controller.api import kinds, names
from reference_controller.api.writes import EmitEvent, Plan, Write

from . import (
    addresses,
    applied,
    comparator,
    deletion,
    dependencies,
    handshake,
    interfaces,
    lifecycle,
    machine,
    macs,
    network_report,
    operations,
    power,
    release,
    status,
    template,
)
from .addresses import MainAddress
from .interfaces import Desired
from .status import Facts
from .world import World


def reconcile(world: World) -> Plan:
    """What to write for the VM of `world`, whatever state it is in."""
    if world.machine is None:
        return Plan(operations.reconcile(world))
    if world.machine.metadata.deleting:
        return Plan((*operations.reconcile(world), *deletion.reconcile(world)))
    if names.VM_FINALIZER not in world.machine.metadata.finalizers:
        # Everything else is computed from the answer to this write.
        kind, finalizer = kinds.VIRTUAL_MACHINE, names.VM_FINALIZER
        return Plan((deletion.with_finalizer(kind, world.machine, finalizer),))
    return Plan(machine.steps(world))


def steps(world: World) -> tuple[Write, ...]:
    """Objects to claim, pods to ask, the internal VM, the report, and what is let go."""
    verdict = comparator.verdict(world)
    desired = interfaces.decide(world, verdict.spec)
    main = addresses.decide(world, verdict.spec)
    state = handshake.proceed(world, desired)
    missing = dependencies.missing(world, verdict, main)
    phase = lifecycle.phase(world)
    claims = machine.claims(desired, main)
    internal: tuple[Write, ...] = ()
    if world.internal is not None or dependencies.ready_to_start(world, verdict, desired, main):
        internal = template.synchronize(world, verdict, desired, state, main)
    signals: tuple[Write, ...] = ()
    if not internal:
        # Both carry the internal VM's version, and a start must find the new template.
        wished = power.wish(world, verdict, desired)
        signals = power.signal(world, wished, missing)
    reported = (
        *dependencies.report(world),
        addresses.condition(world, main),
        macs.condition(world, desired.choices),
        *network_report.report(world, verdict, desired),
        *applied.report(world, verdict, desired, state, missing, phase),
        lifecycle.running(world, phase),
        *lifecycle.agent(world, phase),
        *lifecycle.migratable(world),
    )
    facts = Facts(verdict, desired, state, main, phase, reported)
    return (
        *claims,
        *state.writes,
        *internal,
        *signals,
        # What was just asked for is reported by the pass that its creation wakes.
        *(() if claims else status.write(world, facts)),
        *release.obsolete(world, verdict.spec, desired),
        *addresses.obsolete(world, main),
        *operations.reconcile(world),
        *machine.announcements(world, internal),
    )


def claims(desired: Desired, main: MainAddress) -> tuple[Write, ...]:
    """The address objects that are missing, Main's and those of additional networks."""
    wanted = [choice.create for choice in desired.choices.values()]
    wanted += [provision.create for provision in desired.provisions.values()]
    return tuple(create for create in (*wanted, main.create) if create is not None)


def announcements(world: World, internal: tuple[Write, ...]) -> tuple[Write, ...]:
    """The Event that a running VM's internal twin changes (spec 9, CN-05)."""
    if not internal or not lifecycle.started(world):
        return ()
    message = f"the networks of generation {world.vm.metadata.generation} are being applied"
    return (EmitEvent(world.vm, kinds.VIRTUAL_MACHINE, "ChangesApplied", message),)
