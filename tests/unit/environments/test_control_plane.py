"""What the API server's audit log holds."""

from __future__ import annotations

from typing import Any

from e2e.environments.embedded import control_plane


def test_reads_are_not_logged_and_the_platform_is_logged_whole() -> None:
    policy: Any = control_plane.audit_policy()
    reads, whole, rest = policy["rules"]
    assert reads == {"level": "None", "verbs": ["get", "list", "watch"]}
    assert whole["level"] == "RequestResponse"
    assert {entry["group"] for entry in whole["resources"]} == {
        "virtualization.deckhouse.io",
        "internal.virtualization.deckhouse.io",
        "network.deckhouse.io",
        "",
    }
    assert rest == {"level": "Metadata"}
