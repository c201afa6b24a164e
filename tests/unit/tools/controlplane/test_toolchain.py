"""Which Go builds, and with which settings."""

from pathlib import Path

import pytest

from tools.controlplane import toolchain
from tools.controlplane.location import MODULE
from tools.controlplane.toolchain import GoMissing


def pretend(folder: Path, says: str) -> Path:
    """A Go that only tells its version."""
    go = folder / "go"
    folder.mkdir()
    go.write_text(f"#!/bin/sh\necho '{says}'\n")
    go.chmod(0o755)
    return go


def test_the_first_go_that_is_new_enough_is_taken(tmp_path: Path) -> None:
    old = pretend(tmp_path / "old", "go version go1.19.8 linux/amd64")
    new = pretend(tmp_path / "new", "go version go1.27.0 linux/amd64")
    assert toolchain.find_go([tmp_path / "absent", old, new]) == new


def test_without_a_go_every_candidate_is_explained(tmp_path: Path) -> None:
    old = pretend(tmp_path / "old", "go version go1.19.8 linux/amd64")
    broken = pretend(tmp_path / "broken", "")
    with pytest.raises(GoMissing, match="make setup") as caught:
        toolchain.find_go([old, broken, tmp_path / "absent"])
    assert "is 1.19" in str(caught.value)
    assert "does not run" in str(caught.value)
    assert "not there" in str(caught.value)


def test_the_callers_go_settings_do_not_reach_the_build(tmp_path: Path) -> None:
    caller = {"GOOS": "plan9", "GOFLAGS": "-mod=mod", "GOROOT": "/old", "GOPROXY": "off", "A": "b"}
    ours = toolchain.environment(caller, tmp_path)
    assert "GOOS" not in ours
    assert "GOROOT" not in ours
    assert ours["GOFLAGS"].startswith("-mod=readonly")
    assert ours["GOPROXY"] == "off"
    assert ours["A"] == "b"
    assert ours["GOTOOLCHAIN"] == "local"


def test_what_go_caches_goes_into_the_scratch_folder(tmp_path: Path) -> None:
    ours = toolchain.environment({"GOCACHE": "/kept"}, tmp_path)
    assert Path(ours["GOCACHE"]).is_relative_to(tmp_path)
    assert Path(ours["GOMODCACHE"]).is_relative_to(tmp_path)
    assert "-modcacherw" in ours["GOFLAGS"]


def test_a_module_cache_of_the_caller_is_used_and_left_read_only(tmp_path: Path) -> None:
    ours = toolchain.environment({"GOMODCACHE": "/kept"}, tmp_path)
    assert ours["GOMODCACHE"] == "/kept"
    assert "-modcacherw" not in ours["GOFLAGS"]


def test_the_server_and_its_client_are_stamped() -> None:
    flags = toolchain.link_flags("v1.37.2")
    assert "-X k8s.io/component-base/version.gitVersion=v1.37.2" in flags
    assert "-X k8s.io/client-go/pkg/version.gitMinor=37" in flags


def test_our_module_names_its_versions() -> None:
    text = (MODULE / "go.mod").read_text()
    assert toolchain.kubernetes_version(text) == "v1.37.2"
    assert toolchain.required_version(text) == (1, 26)


def test_every_staging_module_belongs_to_our_kubernetes() -> None:
    """`k8s.io/kubernetes` requires them at v0.0.0, which only its own replace lines satisfy."""
    text = (MODULE / "go.mod").read_text()
    assert "replace" not in text
    assert "k8s.io/api v0.37.2" in text
    assert " v0.0.0\n" not in text
