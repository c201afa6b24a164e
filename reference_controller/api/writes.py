"""What a plan returns: small idempotent writes in order (design rule 2).

Every write can be repeated: a create that finds its object is adopted, a delete of what is gone
is done. A write that must not hit a changed object carries the `resource_version` it was
computed from; the API server then answers 409 and the plan runs again on fresh input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .kinds import Kind
from .view import Json, Object


@dataclass(frozen=True)
class Create:
    """Create an object. `body` is complete but for apiVersion and kind."""

    kind: Kind
    body: Json


@dataclass(frozen=True)
class MergePatch:
    """JSON merge patch of an object (lists are replaced as a whole).

    With `status` the patch goes to the status subresource, and `body` is `{"status": {...}}`.
    """

    kind: Kind
    namespace: str
    name: str
    body: Json
    status: bool = False
    resource_version: str = ""


@dataclass(frozen=True)
class JsonPatch:
    """RFC 6902 patch; a failed `test` operation answers 422 and is treated like a conflict."""

    kind: Kind
    namespace: str
    name: str
    operations: tuple[Json, ...]
    status: bool = False


@dataclass(frozen=True)
class Delete:
    """Delete an object; `uid` makes sure that it is the one that was meant."""

    kind: Kind
    namespace: str
    name: str
    uid: str = ""
    grace_seconds: int | None = None


@dataclass(frozen=True)
class EmitEvent:
    """Record a Kubernetes Event about an object: best effort, never part of a decision (CN-05)."""

    about: Object
    kind: Kind
    reason: str
    message: str
    warning: bool = False


Write = Create | MergePatch | JsonPatch | Delete | EmitEvent


@dataclass(frozen=True)
class Plan:
    """The outcome of one decision.

    `writes` are carried out in order; the first that fails ends the pass. `again_after`: seconds
    after which the world must be looked at again though no event may come, or None.
    """

    writes: tuple[Write, ...] = ()
    again_after: float | None = None
    notes: dict[str, Any] = field(default_factory=dict)


def owner_reference(owner: Object, kind: Kind) -> Json:
    """The controller ownerReference to `owner`."""
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def difference(current: Any, target: Json) -> Json:
    """The merge patch that turns `current` into one that has everything in `target`, or {}.

    Keys that `target` does not name stay; a None in `target` removes the key.
    """
    patch: Json = {}
    have = current if isinstance(current, dict) else {}
    for key, value in target.items():
        if value is None:
            if key in have:
                patch[key] = None
        elif isinstance(value, dict):
            if not isinstance(have.get(key), dict):
                patch[key] = value
            elif inner := difference(have[key], value):
                patch[key] = inner
        elif have.get(key) != value or key not in have:
            patch[key] = value
    return patch
