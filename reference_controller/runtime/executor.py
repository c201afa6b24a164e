"""Carries out what a plan returned, in its order."""

from __future__ import annotations

import datetime
import hashlib

import structlog

from reference_controller.api import kinds
from reference_controller.api.view import Json
from reference_controller.api.writes import (
    Create,
    Delete,
    EmitEvent,
    JsonPatch,
    MergePatch,
    Plan,
    Write,
)

from .client import JSON_PATCH, ApiError, Client
from .queue import Outcome
from .store import Store

log = structlog.get_logger()


def now() -> str:
    """The present time as Kubernetes writes it, whole seconds."""
    moment = datetime.datetime.now(datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Executor:
    """Performs writes and feeds their answers into the store.

    `reporter` names the component in the Events it records.
    """

    def __init__(self, client: Client, store: Store, reporter: str) -> None:
        self._client = client
        self._store = store
        self._reporter = reporter

    async def carry_out(self, plan: Plan) -> Outcome:
        """All writes of `plan` in order.

        Raises:
            ApiError: a write was refused for a reason that only another pass can mend; the
                writes behind it were not tried.
        """
        for write in plan.writes:
            await self._perform(write)
        return Outcome(plan.again_after)

    async def _perform(self, write: Write) -> None:
        match write:
            case Create():
                await self._create(write)
            case MergePatch() | JsonPatch():
                await self._patch(write)
            case Delete():
                await self._delete(write)
            case EmitEvent():
                await self._emit(write)

    async def _create(self, write: Create) -> None:
        try:
            body = await self._client.create(write.kind, write.body)
        except ApiError as error:
            if not error.already_exists:
                raise
            # Names are derived (D18): what is there is what an earlier pass made, or a foreign
            # object that the next pass will see.
            meta = write.body["metadata"]
            found = await self._client.get(write.kind, meta.get("namespace", ""), meta["name"])
            if found is None:
                raise
            body = found
        self._learn(write.kind, body)

    async def _patch(self, write: MergePatch | JsonPatch) -> None:
        try:
            if isinstance(write, JsonPatch):
                body = await self._client.patch(
                    write.kind,
                    write.namespace,
                    write.name,
                    list(write.operations),
                    content_type=JSON_PATCH,
                    status=write.status,
                )
            else:
                patch = _guarded(write)
                body = await self._client.patch(
                    write.kind, write.namespace, write.name, patch, status=write.status
                )
        except ApiError as error:
            if error.not_found:
                log.info("patched object is gone", kind=str(write.kind), name=write.name)
                return
            raise
        self._learn(write.kind, body)

    async def _delete(self, write: Delete) -> None:
        try:
            body = await self._client.delete(
                write.kind,
                write.namespace,
                write.name,
                uid=write.uid,
                grace=write.grace_seconds,
            )
        except ApiError as error:
            if not error.not_found:
                raise
            return
        if body.get("metadata", {}).get("deletionTimestamp"):
            # Known at once, so that no pass deletes it again before the event comes.
            self._learn(write.kind, body)

    async def _emit(self, write: EmitEvent) -> None:
        """One Event per fact: the name is derived from it, so a repeat is AlreadyExists."""
        about, stamp = write.about, now()
        fact = f"{about.uid}/{write.reason}/{write.message}/{about.metadata.generation}"
        digest = hashlib.sha256(fact.encode()).hexdigest()[:16]
        namespace = about.namespace or "default"
        body: Json = {
            "metadata": {"name": f"{about.name}.{digest}", "namespace": namespace},
            "involvedObject": {
                "apiVersion": write.kind.api_version,
                "kind": write.kind.kind,
                "name": about.name,
                "namespace": about.namespace,
                "uid": about.uid,
            },
            "reason": write.reason,
            "message": write.message,
            "type": "Warning" if write.warning else "Normal",
            "source": {"component": self._reporter},
            "firstTimestamp": stamp,
            "lastTimestamp": stamp,
            "count": 1,
        }
        try:
            await self._client.create(kinds.EVENT, body)
        except ApiError as error:
            # Event delivery is best effort (CN-05): a refused Event must not hold back the rest.
            if not error.already_exists:
                log.info("event not recorded", reason=write.reason, error=str(error))

    def _learn(self, kind: kinds.Kind, body: Json) -> None:
        if not self._store.watches(kind):
            return
        meta = body.get("metadata", {})
        gone = meta.get("deletionTimestamp") and not meta.get("finalizers")
        if gone and kind != kinds.POD:
            # The patch removed the last finalizer: the API server has deleted the object.
            self._store.remove(kind, body)
        else:
            self._store.apply(kind, body)


def _guarded(write: MergePatch) -> Json:
    if not write.resource_version:
        return write.body
    metadata = {**write.body.get("metadata", {}), "resourceVersion": write.resource_version}
    return {**write.body, "metadata": metadata}
