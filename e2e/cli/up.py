"""`plumbline up`: an environment that stays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import yaml
from cyclopts import Parameter

from e2e.cli import progress, usage
from e2e.cli.usage import UsageError
from e2e.environments import launch, preflight, running

DEFAULT_NAME = "local"


def up(
    *,
    name: str = DEFAULT_NAME,
    kubeconfig: Path | None = None,
    controller: str = "",
    webhooks: Annotated[Path | None, Parameter(name="--webhooks")] = None,
) -> int:
    """Bring an embedded environment up and leave it running.

    Parameters
    ----------
    name
        What `down` and `run --environment` will call it.
    kubeconfig
        Also write the administrator's kubeconfig to this file; `down` removes it.
    controller
        Command to start instead of the reference controller; may hold {kubeconfig}, {cert_dir},
        {webhook_port}, {python}.
    webhooks
        Manifest of that controller's admission webhooks.
    """
    usage.environment_name(name)
    _require_free(name)
    exported = _exportable(kubeconfig)
    request = usage.request(name, controller, webhooks, exported)
    fit = preflight.check(progress.setup)
    launched = launch.launch(request, fit, progress.tell)
    launched.detach()
    config = exported or launched.rig.layout.admin
    for line in (
        "",
        f"export KUBECONFIG={config}",
        f"{fit.binaries.kubectl} get vm -A",
        f"plumbline run --environment {name}",
        f"logs: {launched.rig.layout.logs}",
        f"end it with: plumbline down{'' if name == DEFAULT_NAME else f' --name {name}'}",
    ):
        progress.say(line)
    return 0


def _require_free(name: str) -> None:
    if any(rig.name == name for rig in running.rigs()):
        raise UsageError(
            f"an environment named {name!r} runs already; `plumbline down --name {name}` ends it,"
            " or give this one another --name"
        )


def _exportable(path: Path | None) -> Path | None:
    """A file that may be written: a new one, or one that an earlier environment left."""
    if path is None:
        return None
    if path.exists() and not _ours(path):
        raise UsageError(f"{path} exists and is no kubeconfig of ours; name another file")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
    return path.absolute()


def _ours(path: Path) -> bool:
    try:
        document = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return False
    return isinstance(document, dict) and str(document.get("current-context", "")).startswith(
        "plumbline-"
    )
