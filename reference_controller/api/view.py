"""The base of every typed view: a frozen, lenient reading of one JSON value.

A view reads what it knows and ignores the rest, since objects carry fields of other writers. A
plan that must hand foreign fields on (a template, a list of conditions) takes them from `raw`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator
from pydantic.alias_generators import to_camel

Json = dict[str, Any]
"""One decoded JSON object."""


class View(BaseModel):
    """A frozen value parsed from camelCase JSON; unknown keys are ignored."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _null_means_absent(cls, value: Any, info: Any) -> Any:
        """An explicit null reads like a missing key: Go clients write both for an empty value."""
        if value is None:
            field = cls.model_fields[info.field_name]
            if not field.is_required():
                return field.get_default(call_default_factory=True)
        return value


class OwnerReference(View):
    """One entry of metadata.ownerReferences."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class Meta(View):
    """The parts of metadata that plans read; timestamps stay text."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str = ""
    deletion_timestamp: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def deleting(self) -> bool:
        """Whether the object is on its way out (it has a deletion timestamp)."""
        return bool(self.deletion_timestamp)

    @property
    def controller(self) -> OwnerReference | None:
        """The managing owner, or None for an object that a user made."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class Object(View):
    """A view of a whole Kubernetes object.

    `raw` is the body it was parsed from; it must not be modified.
    """

    metadata: Meta = Meta()
    _raw: Json = PrivateAttr(default_factory=dict)

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> Self:
        """Read `body` as the API server sent it.

        Raises:
            pydantic.ValidationError: a known field has a value of another type.
        """
        view = cls.model_validate(body)
        view._raw = dict(body)
        return view

    @property
    def raw(self) -> Json:
        """The body this view was parsed from."""
        return self._raw

    @property
    def name(self) -> str:
        """metadata.name."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """metadata.namespace, empty for a cluster-scoped object."""
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        """metadata.uid."""
        return self.metadata.uid
