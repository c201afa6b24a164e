"""The component's picture of the world: the newest known version of every watched object.

Fed by watch events, by answers to the component's own writes (so a plan never sees a world from
before its last write) and by re-lists. Plans read typed views through indexes, never the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import structlog
from pydantic import ValidationError

from reference_controller.api.kinds import Kind
from reference_controller.api.view import Json, Meta, Object

log = structlog.get_logger()
V = TypeVar("V", bound=Object)
Identity = tuple[str, str]
"""Namespace (empty for cluster-scoped objects) and name."""
REMEMBERED_DELETIONS = 4096
Listener = Callable[[Kind, Object | None, Object | None], None]
"""Called with the kind and the view before and after a change; None means not there."""


@dataclass(frozen=True)
class Index:
    """Objects of `kind` by computed values: `values(view)` gives those one object is found by."""

    kind: Kind
    name: str
    values: Callable[[Any], Iterable[str]]


class Store:
    """Objects of several kinds by identity and by index.

    Args:
        views: the view each kind is parsed into.
        indexes: the look-ups that plans need; their cost is paid once per event.
    """

    def __init__(self, views: dict[Kind, type[Object]], indexes: Iterable[Index] = ()) -> None:
        self._views = views
        self._objects: dict[Kind, dict[Identity, Object]] = {kind: {} for kind in views}
        self._deleted: dict[tuple[Kind, str], int] = {}
        self._indexes: dict[Kind, list[Index]] = defaultdict(list)
        self._found: dict[tuple[Kind, str, str], dict[Identity, Object]] = defaultdict(dict)
        self._listeners: list[Listener] = []
        for index in indexes:
            self._indexes[index.kind].append(index)

    def subscribe(self, listener: Listener) -> None:
        """Have `listener` called after every change, whether an event, a list or an own write."""
        self._listeners.append(listener)

    def get(self, kind: Kind, _view: type[V], namespace: str, name: str) -> V | None:
        """The object, or None when it is not known."""
        return cast("V | None", self._objects[kind].get((namespace, name)))

    def all(self, kind: Kind, _view: type[V], namespace: str | None = None) -> list[V]:
        """All objects of a kind, by namespace and name; `namespace` narrows."""
        found = self._objects[kind].items()
        return [
            cast(V, item)
            for (where, _), item in sorted(found, key=lambda pair: pair[0])
            if namespace is None or where == namespace
        ]

    def find(self, kind: Kind, _view: type[V], index: str, value: str) -> list[V]:
        """The objects that `index` finds under `value`, by namespace and name."""
        found = self._found.get((kind, index, value), {})
        return [cast(V, found[identity]) for identity in sorted(found)]

    def watches(self, kind: Kind) -> bool:
        """Whether objects of `kind` are kept here."""
        return kind in self._objects

    def identities(self, kind: Kind) -> set[Identity]:
        """What is known of a kind."""
        return set(self._objects[kind])

    def apply(self, kind: Kind, body: Json) -> tuple[Object | None, Object | None]:
        """Take in one version of an object, unless a newer one is known.

        Returns:
            the view before and after, equal (the same object) when nothing was learned.
        """
        meta = Meta.model_validate(body.get("metadata", {}))
        identity = (meta.namespace, meta.name)
        old = self._objects[kind].get(identity)
        if self._deleted.get((kind, meta.uid), -1) >= int(meta.resource_version):
            return old, old
        if old is not None and int(old.metadata.resource_version) >= int(meta.resource_version):
            return old, old
        try:
            new = self._views[kind].parse(body)
        except ValidationError as error:
            # An object that cannot be read must not stop the others (SE-03); the last readable
            # version stays in force.
            log.warning("unreadable object", kind=str(kind), name=identity, error=str(error))
            return old, old
        self._replace(kind, identity, old, new)
        return old, new

    def remove(self, kind: Kind, body: Json) -> Object | None:
        """Forget an object that the API server has deleted; an older deletion is ignored.

        Returns:
            the view that was forgotten.
        """
        meta = Meta.model_validate(body.get("metadata", {}))
        identity = (meta.namespace, meta.name)
        self._remember_deletion(kind, meta)
        old = self._objects[kind].get(identity)
        if old is None or int(old.metadata.resource_version) > int(meta.resource_version):
            return None
        self._replace(kind, identity, old, None)
        return old

    def forget(self, kind: Kind, identity: Identity, listed_at: str) -> Object | None:
        """Forget an object that a list at version `listed_at` did not contain."""
        old = self._objects[kind].get(identity)
        if old is None or int(old.metadata.resource_version) > int(listed_at):
            return None
        self._replace(kind, identity, old, None)
        return old

    def _remember_deletion(self, kind: Kind, meta: Meta) -> None:
        """So that the answer to an own write that arrives late does not bring the object back."""
        self._deleted[kind, meta.uid] = int(meta.resource_version)
        if len(self._deleted) > REMEMBERED_DELETIONS:
            del self._deleted[next(iter(self._deleted))]

    def _replace(
        self, kind: Kind, identity: Identity, old: Object | None, new: Object | None
    ) -> None:
        for index in self._indexes[kind]:
            for value in index.values(old) if old is not None else ():
                self._found[kind, index.name, value].pop(identity, None)
            for value in index.values(new) if new is not None else ():
                self._found[kind, index.name, value][identity] = new  # type: ignore[assignment]
        if new is None:
            self._objects[kind].pop(identity, None)
        else:
            self._objects[kind][identity] = new
        for listener in self._listeners:
            listener(kind, old, new)
