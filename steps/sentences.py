"""How a sentence is written: quoted words, which end at their quotes, `{kind}` and `{count}`.

A loose pattern would swallow its neighbours silently, so nothing matches more than it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_bdd import parsers


@dataclass(frozen=True)
class Part:
    """What one place of a sentence accepts, and what it becomes."""

    pattern: str
    convert: Callable[[str], object] = str

    def __call__(self, text: str) -> object:
        """The value of a text that matched."""
        return self.convert(text)


TYPES: Final = {
    "Word": Part(r'[^"]+'),
    "Kind": Part("ClusterNetwork|Network"),
    "Interfaces": Part(r"\d+ interfaces?", lambda text: int(text.split()[0])),
}


def sentence(text: str) -> parsers.parse:
    """A parser for `text`, in which `"{x}"` is one quoted word, `{kind}` Network or ClusterNetwork,
    `{count}` a number of interfaces, and everything else as `parse` has it.
    """
    typed = re.sub(r'"\{(\w+)\}"', r'"{\1:Word}"', text)
    typed = typed.replace("{kind}", "{kind:Kind}").replace("{count}", "{count:Interfaces}")
    return parsers.parse(typed, TYPES)
