"""`plumbline list`: what can be asked for."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from e2e.selftest.mutants import MUTANTS
from fixtures.conformance import catalogue, contract
from fixtures.conformance.exits import Exit
from fixtures.conformance.request import ROOT


def show(*, json: bool = False) -> int:
    """List clauses, the scenarios that prove them and the mutants that prove those.

    Parameters
    ----------
    json
        Print JSON for programs.
    """
    promises = contract.load(ROOT / "features" / "contract")
    found = catalogue.read(ROOT / "features", promises)
    mutants: dict[str, list[str]] = {}
    for mutant in MUTANTS.values():
        mutants.setdefault(mutant.caught_by, []).append(mutant.name)
    listing = catalogue.listing(found, promises, mutants)
    if json:
        _print_json(listing)
    else:
        _print_table(listing)
    for trouble in found.troubles:
        print(f"plumbline: {trouble}", file=sys.stderr)
    return Exit.SUITE_BROKEN if found.troubles else Exit.CONFORMANT


def _print_json(listing: dict[str, Any]) -> None:
    print(json.dumps(listing, indent=2, ensure_ascii=False))


def _print_table(listing: dict[str, Any]) -> None:
    table = Table(title="Clauses", title_justify="left")
    for heading in ("clause", "level", "promise", "scenarios", "mutants"):
        table.add_column(heading, overflow="fold")
    for clause in listing["clauses"]:
        scenarios, mutants = clause["scenarios"], clause["mutants"]
        style = "" if scenarios else "dim"
        cells = (clause["id"], clause["level"], clause["text"], "\n".join(scenarios) or "none yet")
        table.add_row(*(Text(cell) for cell in cells), Text("\n".join(mutants)), style=style)
    console().print(table)


def console() -> Console:
    """Wide enough for a table also where there is no terminal."""
    return Console() if sys.stdout.isatty() else Console(width=140)
