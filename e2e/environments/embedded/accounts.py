"""ServiceAccounts of the components: their roles from the deploy manifests, and their tokens.

The least rights are part of what is tested, so a component never gets an administrator's. A foreign
controller is the exception: what it needs is not known here.
"""

from __future__ import annotations

import asyncio

from e2e.environments.embedded import manifests, settings
from e2e.environments.embedded.kube_api import ApiRefused, Json, KubeApi
from e2e.environments.embedded.trouble import BringUpFailed

KINDS = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ConfigMap")
"""What the environment takes from the deploy manifests; processes it starts itself."""


async def apply_roles(api: KubeApi) -> None:
    """Applies what the deploy manifests say of accounts and rights.

    Raises:
        BringUpFailed: the API server refuses one.
        ManifestUnusable: a file is broken.
    """
    await _apply(api, namespace(settings.SYSTEM_NAMESPACE))
    documents = manifests.only(manifests.load_folder(settings.DEPLOY), *KINDS)
    for document in documents:
        await _apply(api, document)


async def grant_everything(api: KubeApi, account: str) -> None:
    """Makes a component an administrator."""
    await _apply(
        api,
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": f"plumbline:foreign-{account}"},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "cluster-admin",
            },
            "subjects": [
                {
                    "kind": "ServiceAccount",
                    "name": account,
                    "namespace": settings.SYSTEM_NAMESPACE,
                }
            ],
        },
    )


async def tokens(api: KubeApi, accounts: set[str]) -> dict[str, str]:
    """A token for each account.

    Raises:
        BringUpFailed: an account is missing from the deploy manifests.
    """
    ordered = sorted(accounts)
    found = await asyncio.gather(*(_token(api, account) for account in ordered))
    return dict(zip(ordered, found, strict=True))


def namespace(name: str) -> Json:
    """A namespace's manifest."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


async def _token(api: KubeApi, account: str) -> str:
    collection = f"/api/v1/namespaces/{settings.SYSTEM_NAMESPACE}/serviceaccounts"
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": settings.TOKEN_SECONDS},
    }
    try:
        answer = await api.request("POST", f"{collection}/{account}/token", request)
    except ApiRefused as refused:
        raise BringUpFailed(
            "accounts",
            f"no token for ServiceAccount {settings.SYSTEM_NAMESPACE}/{account}: {refused};"
            f" it belongs in a manifest in {settings.DEPLOY}",
        ) from refused
    return str(answer["status"]["token"])


async def _apply(api: KubeApi, document: Json) -> None:
    try:
        await api.apply(manifests.path(document), document)
    except ApiRefused as refused:
        raise BringUpFailed("accounts", str(refused)) from refused
