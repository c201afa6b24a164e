"""The command `plumbline`: one command a file, each only as thick as its options.

Bringing environments up is the business of `e2e.environments`, running and judging that of
`fixtures.conformance`.
"""

from __future__ import annotations


def main() -> int:
    """Runs the command line; the exit codes are those of docs/reference/exit-codes.md."""
    from e2e.environments import interruption

    interruption.take_over()
    # The rest is slow to import, and a Ctrl-C meanwhile must not end in a traceback.
    try:
        from e2e.cli.app import call
    except interruption.Interrupted as interrupted:
        return interrupted.exit_code
    return call()
