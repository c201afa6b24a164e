"""Where a launcher pod runs: by node selector, readiness and free slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .world import Node


def choose(nodes: Sequence[Node], selector: Mapping[str, str]) -> Node | None:
    """The fitting node with the fewest guests (by name among equals), or None."""
    fitting = [node for node in nodes if fits(node, selector)]
    return min(fitting, key=lambda node: (node.guests, node.name), default=None)


def fits(node: Node, selector: Mapping[str, str]) -> bool:
    """Whether a guest with `selector` can run on `node` now."""
    matches = all(node.labels.get(key) == value for key, value in selector.items())
    return matches and node.ready and node.guests < node.slots
