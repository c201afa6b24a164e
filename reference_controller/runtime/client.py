"""One thin asynchronous client for any kind, over `kubernetes.aio`.

The generated client has no calls for custom objects of a kind known only at run time that also
serve core kinds; this one addresses every resource by its path, and sends every content type
explicitly (the library's default is wrong for lists).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, cast

from kubernetes.aio import client as kubernetes_client
from kubernetes.aio import config as kubernetes_config

from reference_controller.api.kinds import Kind
from reference_controller.api.view import Json

MERGE_PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
REQUEST_TIMEOUT = 15.0
"""Seconds after which a request counts as lost; the work queue tries again."""


@dataclass(frozen=True)
class Page:
    """A whole list: its objects and the version at which they were read."""

    items: tuple[Json, ...]
    resource_version: str


class ApiError(Exception):
    """The API server refused a request.

    `status` is the HTTP code, `reason` the machine-readable cause (`AlreadyExists`, `Conflict`, …).
    """

    def __init__(self, method: str, path: str, status: int, reason: str, message: str) -> None:
        super().__init__(f"{method} {path}: {status} {reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message

    @property
    def not_found(self) -> bool:
        """Whether the object, or its kind, is not there."""
        return self.status == 404

    @property
    def already_exists(self) -> bool:
        """Whether a create found its name taken."""
        return self.status == 409 and self.reason == "AlreadyExists"

    @property
    def conflict(self) -> bool:
        """Whether the object had changed since it was read (409, or a failed JSON patch test)."""
        return (self.status == 409 and not self.already_exists) or self.status == 422


class Client:
    """Reads and writes objects as plain JSON. Use as an async context manager.

    Every method raises `ApiError` for an answer of 400 and above, and OSError or TimeoutError
    (aiohttp's client errors among them) when no answer came.
    """

    def __init__(self, kubeconfig: str) -> None:
        self._kubeconfig = kubeconfig
        self._api: Any = None

    async def __aenter__(self) -> Self:
        configuration = kubernetes_client.Configuration()
        await kubernetes_config.load_kube_config(  # type: ignore[no-untyped-call]
            self._kubeconfig, client_configuration=configuration, persist_config=False
        )
        configuration.retries = False
        self._api = kubernetes_client.ApiClient(configuration)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._api.close()

    async def get(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """The object, or None when it is not there."""
        try:
            return await self._request("GET", _path(kind, namespace, name))
        except ApiError as error:
            if error.not_found:
                return None
            raise

    async def list(self, kind: Kind, namespace: str = "", labels: str = "") -> Page:
        """All objects of a kind, in one namespace or everywhere, by label selector.

        Items of a typed list carry no apiVersion and kind; they are filled in.
        """
        query = [("labelSelector", labels)] if labels else []
        answer = await self._request("GET", _path(kind, namespace), query=query)
        identity = {"apiVersion": kind.api_version, "kind": kind.kind}
        items = tuple({**identity, **item} for item in answer["items"])
        return Page(items, answer["metadata"]["resourceVersion"])

    async def create(self, kind: Kind, body: Json) -> Json:
        """Create an object; `body` needs neither apiVersion nor kind."""
        full = {"apiVersion": kind.api_version, "kind": kind.kind, **body}
        namespace = body["metadata"].get("namespace", "")
        return await self._request("POST", _path(kind, namespace), body=full)

    async def patch(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        body: Any,
        *,
        content_type: str = MERGE_PATCH,
        status: bool = False,
    ) -> Json:
        """Patch an object or its status."""
        path = _path(kind, namespace, name) + ("/status" if status else "")
        return await self._request("PATCH", path, body=body, content_type=content_type)

    async def delete(
        self, kind: Kind, namespace: str, name: str, *, uid: str = "", grace: int | None = None
    ) -> Json:
        """Delete an object; a wrong `uid` is answered with a conflict.

        Returns:
            the object as it waits for its finalizers, or a Status when it is gone.
        """
        options: Json = {"apiVersion": "v1", "kind": "DeleteOptions"}
        options |= {"propagationPolicy": "Background"}
        if uid:
            options["preconditions"] = {"uid": uid}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        return await self._request("DELETE", _path(kind, namespace, name), body=options)

    async def _request(
        self,
        method: str,
        path: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        body: Any = None,
        content_type: str = "application/json",
    ) -> Json:
        headers = {"Content-Type": content_type, "Accept": "application/json"}
        request = await self._api.param_serialize(
            method,
            path,
            query_params=[*query],
            header_params=headers,
            body=body,
            auth_settings=["BearerToken"],
        )
        answer = await self._api.call_api(*request, _request_timeout=REQUEST_TIMEOUT)
        text = await answer.read()
        if answer.status >= 400:
            raise _error(method, path, answer.status, text)
        return cast(Json, json.loads(text))


def _path(kind: Kind, namespace: str, name: str = "") -> str:
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    scope = f"/namespaces/{namespace}" if kind.namespaced and namespace else ""
    return f"{root}{scope}/{kind.plural}" + (f"/{name}" if name else "")


def _error(method: str, path: str, status: int, text: bytes) -> ApiError:
    try:
        details = json.loads(text)
    except ValueError:
        details = None
    if not isinstance(details, Mapping):
        details = {"message": text.decode(errors="replace")[:200]}
    reason, message = details.get("reason", ""), details.get("message", "")
    return ApiError(method, path, status, str(reason), str(message))
