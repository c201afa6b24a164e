"""Where the control plane is looked for, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.controlplane import location
from tools.controlplane.location import BINARIES, MINIMUM, ControlPlane, ControlPlaneMissing


def install(folder: Path, names: tuple[str, ...] = BINARIES) -> Path:
    """Puts executables that say nothing into `folder`."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def newest(binary: Path) -> location.Version:
    """Every binary is just new enough."""
    return MINIMUM[binary.name]


def refuse(binary: Path) -> location.Version:
    """No binary is asked."""
    raise AssertionError(f"{binary} was run")


def test_assets_win_over_our_cache(tmp_path: Path) -> None:
    environ = {"PLUMBLINE_CACHE": str(tmp_path / "cache")}
    install(location.built_folder(environ))
    assets = install(tmp_path / "assets")
    found = location.locate(environ | {"KUBEBUILDER_ASSETS": str(assets)}, version=newest)
    assert found == ControlPlane.inside(assets)


def test_our_cache_is_trusted_without_running_it(tmp_path: Path) -> None:
    environ = {"PLUMBLINE_CACHE": str(tmp_path / "cache"), "PATH": str(install(tmp_path / "bin"))}
    ours = install(location.built_folder(environ))
    assert location.locate(environ, version=refuse) == ControlPlane.inside(ours)


def test_the_path_comes_last(tmp_path: Path) -> None:
    environ = {"PLUMBLINE_CACHE": str(tmp_path), "PATH": str(install(tmp_path / "bin"))}
    assert location.locate(environ, version=newest) == ControlPlane.inside(tmp_path / "bin")


@pytest.mark.parametrize("absent", BINARIES)
def test_assets_without_one_binary_are_refused_by_name(tmp_path: Path, absent: str) -> None:
    rest = tuple(name for name in BINARIES if name != absent)
    assets = install(tmp_path / "assets", rest)
    environ = {"PLUMBLINE_CACHE": str(tmp_path), "KUBEBUILDER_ASSETS": str(assets), "PATH": ""}
    with pytest.raises(ControlPlaneMissing, match=f"KUBEBUILDER_ASSETS: no {absent}\n"):
        location.locate(environ, version=newest)


def test_an_old_binary_is_refused_with_what_is_needed(tmp_path: Path) -> None:
    def old(binary: Path) -> location.Version:
        return (1, 36) if binary.name == "kube-apiserver" else newest(binary)

    environ = {"PLUMBLINE_CACHE": str(tmp_path), "PATH": str(install(tmp_path / "bin"))}
    with pytest.raises(ControlPlaneMissing, match=r"is 1\.36, needs 1\.37 or later"):
        location.locate(environ, version=old)


def test_what_is_missing_tells_how_to_get_it(tmp_path: Path) -> None:
    environ = {"PLUMBLINE_CACHE": str(tmp_path), "PATH": ""}
    with pytest.raises(ControlPlaneMissing, match="make setup") as caught:
        location.locate(environ)
    assert str(location.built_folder(environ)) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says", "version"),
    [
        ("etcd", "etcd Version: 3.7.3", (3, 7)),
        ("kube-apiserver", "Kubernetes v1.37.2", (1, 37)),
        ("kubectl", "Client Version: v1.40.0-rc.1", (1, 40)),
    ],
)
def test_versions_are_read_from_what_the_binaries_say(
    tmp_path: Path, name: str, says: str, version: location.Version
) -> None:
    binary = tmp_path / name
    binary.write_text(f"#!/bin/sh\necho '{says}'\n")
    binary.chmod(0o755)
    assert location.version_of(binary) == version


@pytest.mark.parametrize(
    "script", ["exit 1", "echo v0.0.0-master+$Format:%H$; exit 1", "echo hello"]
)
def test_a_binary_that_tells_no_version_is_refused(tmp_path: Path, script: str) -> None:
    binary = tmp_path / "etcd"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    with pytest.raises(ControlPlaneMissing, match="does not tell its version"):
        location.version_of(binary)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"PLUMBLINE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, lambda: Path("/a")),
        ({"XDG_CACHE_HOME": "/b"}, lambda: Path("/b/plumbline")),
        ({}, lambda: Path.home() / ".cache" / "plumbline"),
    ],
)
def test_the_cache_goes_where_it_was_asked_to(
    environ: dict[str, str], folder: Callable[[], Path]
) -> None:
    assert location.cache_folder(environ) == folder()


def test_another_go_is_another_build() -> None:
    assert location.cache_key("1.26.6") != location.cache_key("1.26.7")
