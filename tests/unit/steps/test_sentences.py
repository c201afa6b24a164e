"""A sentence matches what it says and nothing that begins alike."""

from __future__ import annotations

import pytest

from steps.sentences import sentence

REPORTS = '"{vm}" reports "{kind_of}" is "{status}" because "{reason}"'


@pytest.mark.parametrize(
    ("pattern", "text", "given"),
    [
        (
            REPORTS,
            '"web" reports "A" is "False" because "B"',
            {"vm": "web", "kind_of": "A", "status": "False", "reason": "B"},
        ),
        (REPORTS, '"web" reports "A" is "False" because "B", mentioning "SDN"', None),
        (
            '{kind} "{name}" is ready',
            'Network "shop" is ready',
            {"kind": "Network", "name": "shop"},
        ),
        ('{kind} "{name}" is ready', 'VM "shop" is ready', None),
        ('{kind} "{name}" is ready', 'Network "" is ready', None),
        (
            'the guest of "{vm}" has {count}',
            'the guest of "a" has 1 interface',
            {"vm": "a", "count": 1},
        ),
        (
            'the guest of "{vm}" has {count}',
            'the guest of "a" has 12 interfaces',
            {"vm": "a", "count": 12},
        ),
        ('the guest of "{vm}" has {count}', 'the guest of "a" has a Main interface', None),
        ('"{vm}" with id {number:d}', '"a" with id 7', {"vm": "a", "number": 7}),
    ],
)
def test_sentence(pattern: str, text: str, given: dict[str, object] | None) -> None:
    parser = sentence(pattern)
    assert parser.is_matching(text) is (given is not None)
    if given is not None:
        assert parser.parse_arguments(text) == given
