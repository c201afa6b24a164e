"""What an environment's floor command prints."""

from __future__ import annotations

import pytest

from fixtures.conformance import floors


def test_the_last_line_counts_and_stages_get_our_names() -> None:
    text = 'a log line\n{"device_add": 0.01, "guest_link": 0.2, "lease": 1, "unplug": 0.3}\n\n'
    assert floors.parse(text) == {
        "device_add": 0.01,
        "guest link": 0.2,
        "lease": 1.0,
        "unplug": 0.3,
    }


@pytest.mark.parametrize("text", ["", "no", "[]", "{}", '{"lease": "soon"}', '{"lease": -1}'])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="floor"):
        floors.parse(text)
