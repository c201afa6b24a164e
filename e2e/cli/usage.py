"""What a user asked for that cannot be, and what they may have meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from e2e.environments.embedded import recipes, settings, webhooks
from e2e.environments.launch import Request

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")
EMBEDDED = "embedded"
ALIKE = 0.6
SHOWN = 4


class UsageError(Exception):
    """The command line asks for something that does not exist or does not fit together."""


def require(what: str, values: Iterable[str], known: Collection[str]) -> None:
    """Every value is a known one.

    Raises:
        UsageError: names the value and those that look like it.
    """
    for value in values:
        if value in known:
            continue
        similar = _similar(value, known)
        hint = f"did you mean {', '.join(similar)}?" if similar else "see `plumbline list`"
        raise UsageError(f"no {what} is called {value!r}; {hint}")


def _similar(value: str, known: Iterable[str]) -> list[str]:
    """The known names most like a value, written in whichever case and with or without zeros."""
    plain = {item: re.sub(r"\b0+(?=\d)", "", item.upper()) for item in known}
    wanted = re.sub(r"\b0+(?=\d)", "", value.upper())
    ratios = {
        item: difflib.SequenceMatcher(None, wanted, text).ratio() for item, text in plain.items()
    }
    best = sorted(ratios, key=lambda item: (-ratios[item], item))
    return [item for item in best if ratios[item] >= ALIKE][:SHOWN]


def environment_name(name: str) -> str:
    """A name for an environment.

    Raises:
        UsageError: it cannot be one.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name an environment: lower-case letters, digits and hyphens, at most"
            " 40, with a letter or digit at both ends"
        )
    if name == EMBEDDED:
        raise UsageError(
            f"{EMBEDDED!r} means a fresh environment in `plumbline run`; choose another name"
        )
    return name


def request(
    name: str, controller: str, webhook_file: Path | None, exported: Path | None = None
) -> Request:
    """The rig for these options; everything about them that can be wrong is found here.

    Raises:
        UsageError, CommandUnusable, ManifestUnusable: an option cannot be used.
    """
    chosen = webhook_file
    if not controller and webhook_file is None:
        chosen = settings.WEBHOOKS
    if chosen is not None:
        webhooks.load(chosen)
        chosen = chosen.absolute()
    argv = recipes.parse_command(controller or recipes.REFERENCE)
    if controller and not recipes.startable(argv):
        raise UsageError(f"--controller: there is no program {argv[0]!r} here or on PATH")
    return Request(name, argv, controller, chosen, exported)
