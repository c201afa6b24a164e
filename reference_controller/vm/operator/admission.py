"""Serves the API server's admission reviews with the decisions of `plan.admission`.

kopf answers any exception to the user as it stands, so everything but a refusal is logged and
answered as an internal error. The configurations are shipped in deploy/webhooks.yaml: kopf's
own would vanish with the process, and bad objects pass.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import aiohttp
import kopf
import structlog
from pydantic import ValidationError

from reference_controller.api import kinds, names
from reference_controller.api.kinds import Kind
from reference_controller.api.machines import (
    MachineIPAddress,
    MachineIPLease,
    Operation,
    VirtualMachine,
)
from reference_controller.api.networks import NetworkKey
from reference_controller.api.view import Json
from reference_controller.runtime.client import ApiError, Client
from reference_controller.vm.plan import address_admission, admission

from .indexes import path
from .worlds import Worlds

log = structlog.get_logger()
UNPROCESSABLE = 422
INTERNAL = 500

Review = Callable[[Json, Json | None, Json, list[str]], Awaitable[None]]
"""Judges new and old object; may change the patch (third) and add warnings (fourth)."""


class Reviewer:
    """Looks up what the rules need: in the store, and live where that may be behind."""

    def __init__(self, client: Client, worlds: Worlds) -> None:
        self._client = client
        self._worlds = worlds

    async def fill_machine(
        self, new: Json, old: Json | None, patch: Json, _warnings: list[str]
    ) -> None:
        """Fill the ids of a VM's networks."""
        stored = VirtualMachine.parse(old) if old is not None else None
        if stored is not None and stored.metadata.deleting:
            return
        networks = admission.filled(VirtualMachine.parse(new), stored)
        if networks is not None:
            patch["spec"] = {"networks": networks}

    async def judge_machine(
        self, new: Json, old: Json | None, _patch: Json, _warnings: list[str]
    ) -> None:
        """Check a VM."""
        machine = VirtualMachine.parse(new)
        stored = VirtualMachine.parse(old) if old is not None else None
        namespace = machine.namespace
        unknown = {
            key
            for key in admission.added(machine, stored)
            if not await self._network_exists(namespace, key)
        }
        namesake = stored is None and await self._exists(
            kinds.VM_IP_ADDRESS, namespace, machine.name
        )
        settings = self._worlds.settings
        admission.judge_machine(
            admission.MachineRequest(settings, machine, stored, unknown, namesake)
        )

    async def judge_address(
        self, new: Json, old: Json | None, _patch: Json, warnings: list[str]
    ) -> None:
        """Check a VirtualMachineIPAddress."""
        claim = MachineIPAddress.parse(new)
        stored = MachineIPAddress.parse(old) if old is not None else None
        lease = None
        if claim.spec.static_ip:
            name = names.ip_lease_name(claim.spec.static_ip)
            found = self._worlds.store.get(kinds.VM_IP_ADDRESS_LEASE, MachineIPLease, "", name)
            lease = found
        request = address_admission.AddressRequest(self._worlds.settings, claim, stored, lease)
        warnings += address_admission.judge_address(request)

    async def judge_lease(
        self, new: Json, _old: Json | None, _patch: Json, _warnings: list[str]
    ) -> None:
        """Check a VirtualMachineIPAddressLease: its name is its address."""
        name = new.get("metadata", {}).get("name", "")
        if not address_admission.is_lease_name(name):
            raise admission.Refused(f"metadata.name: {name!r} is no address such as ip-10-0-0-1")

    async def judge_operation(
        self, new: Json, _old: Json | None, _patch: Json, _warnings: list[str]
    ) -> None:
        """Check a VirtualMachineOperation."""
        operation = Operation.parse(new)
        target = path(operation.namespace, operation.spec.virtual_machine_name)
        others = self._worlds.store.find(kinds.VM_OPERATION, Operation, "machine", target)
        address_admission.judge_operation(operation, others)

    async def _network_exists(self, namespace: str, key: NetworkKey) -> bool:
        if self._worlds.network(namespace, key) is not None:
            return True
        if key.type == kinds.CLUSTER_NETWORK.kind:
            return await self._client.get(kinds.CLUSTER_NETWORK, "", key.name) is not None
        return await self._client.get(kinds.NETWORK, namespace, key.name) is not None

    async def _exists(self, kind: Kind, namespace: str, name: str) -> bool:
        return bool(name) and (namespace, name) in self._worlds.store.identities(kind)


def register(registry: kopf.OperatorRegistry, reviewer: Reviewer) -> None:
    """Put all reviews into `registry`; the id of each is the last part of its URL."""
    both: list[Literal["CREATE", "UPDATE"]] = ["CREATE", "UPDATE"]
    create: list[Literal["CREATE", "UPDATE"]] = ["CREATE"]
    vm, claim = kinds.VIRTUAL_MACHINE, kinds.VM_IP_ADDRESS
    lease, operation = kinds.VM_IP_ADDRESS_LEASE, kinds.VM_OPERATION
    for decorator, kind, name, operations, review in (
        (kopf.on.mutate, vm, "mutate-vm", both, reviewer.fill_machine),
        (kopf.on.validate, vm, "validate-vm", both, reviewer.judge_machine),
        (kopf.on.validate, claim, "validate-vmip", both, reviewer.judge_address),
        (kopf.on.validate, lease, "validate-vmipl", create, reviewer.judge_lease),
        (kopf.on.validate, operation, "validate-vmop", create, reviewer.judge_operation),
    ):
        decorator(
            kind.group,
            kind.version,
            kind.plural,
            id=name,
            operations=operations,
            registry=registry,
        )(_guarded(name, review))


def _guarded(name: str, review: Review) -> Callable[..., Awaitable[None]]:
    async def handle(new: Any, old: Any, patch: Any, warnings: list[str], **_: Any) -> None:
        before = dict(old) if old is not None else None
        change: Json = {}
        try:
            await review(dict(new), before, change, warnings)
        except admission.Refused as refusal:
            raise kopf.AdmissionError(str(refusal), code=UNPROCESSABLE) from refusal
        except ValidationError as error:
            log.info("unreadable object refused", review=name, error=str(error))
            text = "the object has a field of the wrong type"
            raise kopf.AdmissionError(text, code=UNPROCESSABLE) from error
        except (ApiError, OSError, TimeoutError, aiohttp.ClientError) as error:
            log.warning("review failed", review=name, error=repr(error))
            raise kopf.AdmissionError("internal error, try again", code=INTERNAL) from error
        patch.update(change)

    return handle
