"""An API server in a dictionary: versions, generations, finalizers, ownership, merge patches."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from reference_controller.api import kinds
from reference_controller.api.kinds import Kind
from reference_controller.api.view import Json
from reference_controller.api.writes import Create, Delete, EmitEvent, JsonPatch, MergePatch, Write

NAMESPACE = "ns"
WITHOUT_STATUS = (kinds.INTERNAL_INSTANCE, kinds.POD)


class Conflict(Exception):
    """The object had changed since it was read, or is not there."""


class Api:
    """Objects, and what the API server and the garbage collector do to them."""

    def __init__(self, clock: Callable[[], str]) -> None:
        self.objects: dict[tuple[Kind, str, str], Json] = {}
        self.listeners: list[Callable[[Kind, Json, bool], None]] = []
        self.version = 0
        self._clock = clock

    def get(self, kind: Kind, name: str, namespace: str = NAMESPACE) -> Json | None:
        """The object as stored."""
        return self.objects.get((kind, namespace if kind.namespaced else "", name))

    def all(self, kind: Kind) -> list[Json]:
        """All objects of a kind, by name."""
        found = sorted((key[1:], body) for key, body in self.objects.items() if key[0] == kind)
        return [body for _, body in found]

    def perform(self, write: Write) -> None:
        """Carry out one write as the executor does."""
        match write:
            case Create():
                meta = write.body["metadata"]
                if self.get(write.kind, meta["name"], meta.get("namespace", "")) is None:
                    self.create(write.kind, write.body)
            case MergePatch():
                self.patch(write)
            case Delete():
                body = self.get(write.kind, write.name, write.namespace)
                if body is None:
                    return
                if write.uid not in ("", body["metadata"]["uid"]):
                    raise Conflict(f"{write.kind} {write.name}: another uid")
                self.delete(write.kind, body)
            case EmitEvent() | JsonPatch():
                pass

    def create(self, kind: Kind, body: Json) -> Json:
        """Store a new object."""
        full = {"apiVersion": kind.api_version, "kind": kind.kind, **copy.deepcopy(body)}
        meta = full["metadata"]
        if not kind.namespaced:
            meta.pop("namespace", None)
        self.version += 1
        meta |= {
            "uid": f"uid-{self.version:06d}",
            "generation": 1,
            "creationTimestamp": self._clock(),
        }
        self._store(kind, full)
        return full

    def patch(self, write: MergePatch) -> None:
        """Apply a merge patch to an object or its status."""
        body = self.get(write.kind, write.name, write.namespace)
        if body is None:
            return
        if write.resource_version not in ("", body["metadata"]["resourceVersion"]):
            raise Conflict(f"{write.kind} {write.name}: changed")
        patch = write.body
        if write.kind not in WITHOUT_STATUS:
            part = {key: value for key, value in patch.items() if (key == "status") == write.status}
            assert part == patch, f"{write.kind} {write.name}: status and spec in one patch"
        new = merged(body, patch)
        if new == body:
            return
        if new.get("spec") != body.get("spec"):
            new["metadata"]["generation"] = body["metadata"].get("generation", 1) + 1
        self._store(write.kind, new)
        self._collect(write.kind, new)

    def delete(self, kind: Kind, body: Json) -> None:
        """Mark an object as deleted; it goes when the last finalizer does."""
        if body["metadata"].get("deletionTimestamp"):
            return
        new = copy.deepcopy(body)
        new["metadata"]["deletionTimestamp"] = self._clock()
        self._store(kind, new)
        self._collect(kind, new)

    def _collect(self, kind: Kind, body: Json) -> None:
        meta = body["metadata"]
        held = meta.get("finalizers") or (kind == kinds.POD and not meta.get("gone"))
        if not meta.get("deletionTimestamp") or held:
            return
        del self.objects[kind, meta.get("namespace", ""), meta["name"]]
        self.version += 1
        meta["resourceVersion"] = str(self.version)
        for listener in self.listeners:
            listener(kind, body, True)
        for other, namespace, name in list(self.objects):
            dependent = self.objects.get((other, namespace, name))
            owners = (dependent or {}).get("metadata", {}).get("ownerReferences") or []
            if dependent is not None and any(owner["uid"] == meta["uid"] for owner in owners):
                self.delete(other, dependent)

    def _store(self, kind: Kind, body: Json) -> None:
        self.version += 1
        meta = body["metadata"]
        meta["resourceVersion"] = str(self.version)
        self.objects[kind, meta.get("namespace", ""), meta["name"]] = body
        for listener in self.listeners:
            listener(kind, body, False)


def merged(body: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(copy.deepcopy(body)) if isinstance(body, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
