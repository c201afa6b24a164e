"""The checks behind `make check`: other people's tools, and rules that no tool knows.

Each check of ours is a module with `check(...) -> list[str]`, one complaint a line, and complains
when it finds nothing to check. `tools.checks.__main__` runs them all and counts.
"""
