"""The commands, and which exception ends in which exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from e2e.cli.usage import UsageError
from e2e.environments.embedded.manifests import ManifestUnusable
from e2e.environments.embedded.recipes import CommandUnusable
from e2e.environments.interruption import Interrupted
from e2e.environments.launch import NotUp
from e2e.environments.running import NoSuchEnvironment
from fixtures.conformance.exits import Exit
from fixtures.conformance.request import version
from fixtures.conformance.selection import UnknownSelection
from fixtures.errors import EnvironmentUnfit

WRONG_USAGE = (
    UsageError,
    UnknownSelection,
    NoSuchEnvironment,
    CommandUnusable,
    ManifestUnusable,
)
app = App(
    name="plumbline",
    help="Judge an implementation of VM networking on Kubernetes, with evidence.",
    version=version,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
# Named by import path: whoever asks for one command need not wait for the libraries of all.
for name, place, purpose in (
    ("up", "up:up", "Bring an embedded environment up and leave it running."),
    ("down", "down:down", "End an environment that `up` has left running."),
    ("run", "run:run", "Run scenarios and report which clauses the implementation keeps."),
    ("list", "listing:show", "List clauses, their scenarios and their mutants."),
    ("selftest", "selftest:selftest", "Show that the scenarios catch planted defects."),
):
    app.command(f"e2e.cli.{place}", name=name, help=purpose)


def call(argv: Sequence[str] | None = None) -> int:
    """Parses and runs one command line; the exit code."""
    try:
        result = app(argv, exit_on_error=False, print_error=True)
    except CycloptsError:
        return Exit.USAGE
    except WRONG_USAGE as error:
        return _end(Exit.USAGE, str(error))
    except NotUp as error:
        return _end(Exit.ENVIRONMENT_UNFIT, f"{error}\n{_indented(error.log)}".rstrip())
    except EnvironmentUnfit as error:
        return _end(Exit.ENVIRONMENT_UNFIT, str(error))
    except Interrupted as interrupted:
        return _end(interrupted.exit_code, f"{interrupted}: ended, nothing is left running")
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not stumble over it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13
    return int(result or 0)


def _end(code: int, text: str) -> int:
    print(f"plumbline: {text}", file=sys.stderr)
    return code


def _indented(log: Sequence[str]) -> str:
    return "\n".join(["its last lines:", *(f"    {line}" for line in log)]) if log else ""
