"""What a user asked for that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.cli import usage
from e2e.cli.usage import UsageError
from e2e.environments.embedded import settings
from e2e.environments.embedded.manifests import ManifestUnusable


def test_what_looks_like_a_mistake_is_proposed() -> None:
    with pytest.raises(UsageError, match=r"no clause is called 'hp-1'; did you mean HP-01"):
        usage.require("clause", ["HP-01", "hp-1"], ["HP-01", "UP-01"])


def test_what_looks_like_nothing_points_to_the_list() -> None:
    with pytest.raises(UsageError, match="plumbline list"):
        usage.require("clause", ["xyz"], ["HP-01"])


@pytest.mark.parametrize("name", ["local", "a", "my-env-2"])
def test_a_name(name: str) -> None:
    assert usage.environment_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", "A", "a_b", "a" * 41, "embedded", "a/b"])
def test_no_name(name: str) -> None:
    with pytest.raises(UsageError):
        usage.environment_name(name)


def test_the_reference_gets_its_own_webhooks_and_others_none() -> None:
    assert usage.request("n", "", None).webhooks == settings.WEBHOOKS
    assert usage.request("n", "sh", None).webhooks is None
    assert usage.request("n", "sh", settings.WEBHOOKS).webhooks == settings.WEBHOOKS


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="no-such-program-here"):
        usage.request("n", "no-such-program-here --x", None)


def test_a_webhook_file_is_read_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ManifestUnusable, match=r"none\.yaml"):
        usage.request("n", "", tmp_path / "none.yaml")
