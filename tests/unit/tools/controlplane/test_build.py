"""Building: what a failure says, and that nothing is ever left behind."""

import os
import shutil
from io import StringIO
from pathlib import Path

import pytest

from tools.controlplane import build as building
from tools.controlplane import location
from tools.controlplane.build import BuildFailed
from tools.controlplane.location import ControlPlane
from tools.controlplane.progress import Progress

QUICK = """#!/bin/sh
case $1 in
list) echo one; echo two ;;
install) mkdir -p "$GOBIN" "$GOCACHE"; echo compiling >&2
    for name in server kube-apiserver kube-controller-manager kubectl; do
        printf '#!/bin/sh\\necho v1.37.2\\n' >"$GOBIN/$name"; chmod +x "$GOBIN/$name"
    done ;;
esac
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"PLUMBLINE_CACHE": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}


@pytest.fixture
def quiet() -> Progress:
    return Progress(StringIO())


def compiler(folder: Path, script: str) -> Path:
    """A stand-in for Go."""
    go = folder / "go"
    go.write_text(script)
    go.chmod(0o755)
    return go


def left(environ: dict[str, str]) -> list[str]:
    """What the cache holds beside the lock."""
    folder = location.built_folder(environ).parent
    return sorted(path.name for path in folder.iterdir() if path.name != "build.lock")


def test_a_build_appears_whole_with_etcd_by_its_name(
    tmp_path: Path, environ: dict[str, str], quiet: Progress
) -> None:
    built = building.build(quiet, environ, go=compiler(tmp_path, QUICK))
    assert built == ControlPlane.inside(location.built_folder(environ))
    assert built.etcd.exists()
    assert left(environ) == [built.etcd.parent.name]


def test_a_second_build_takes_the_result_of_the_first(
    tmp_path: Path, environ: dict[str, str], quiet: Progress
) -> None:
    first = building.build(quiet, environ, go=compiler(tmp_path, QUICK))
    assert building.build(quiet, environ, go=Path("/nonexistent")) == first


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("write /x: no space left on device", "the disk is full"),
        ("dial tcp: lookup proxy: no such host", "proxy is out of reach"),
        ("x.go:1:2: undefined: y", "undefined: y"),
    ],
)
def test_a_failed_build_says_why_and_leaves_nothing(
    tmp_path: Path, environ: dict[str, str], quiet: Progress, said: str, advice: str
) -> None:
    go = compiler(tmp_path, f'#!/bin/sh\nmkdir -p "$GOCACHE"; echo "{said}" >&2; exit 1\n')
    with pytest.raises(BuildFailed, match=advice):
        building.build(quiet, environ, go=go)
    assert left(environ) == []


def test_what_a_killed_build_left_is_swept(
    tmp_path: Path, environ: dict[str, str], quiet: Progress
) -> None:
    stale = location.built_folder(environ).parent / "old.partial"
    (stale / "objects").mkdir(parents=True)
    building.build(quiet, environ, go=compiler(tmp_path, QUICK))
    assert not stale.exists()


def test_binaries_that_do_not_run_are_not_kept(
    tmp_path: Path, environ: dict[str, str], quiet: Progress
) -> None:
    go = compiler(tmp_path, QUICK.replace("echo v1.37.2", "exit 1"))
    with pytest.raises(location.ControlPlaneMissing, match="does not tell its version"):
        building.build(quiet, environ, go=go)
    assert left(environ) == []


def test_a_small_disk_is_refused_before_anything_is_fetched(
    tmp_path: Path, environ: dict[str, str], quiet: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage(tmp_path)._replace(free=10**9)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: full)
    with pytest.raises(BuildFailed, match=r"needs 7 GB .* has 1\.0 GB; free some room"):
        building.build(quiet, environ, go=compiler(tmp_path, "#!/bin/sh\nexit 9\n"))


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, quiet: Progress) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildFailed, match="PLUMBLINE_CACHE"):
        building.build(quiet, {"PLUMBLINE_CACHE": str(tmp_path / "file")}, go=Path("/nonexistent"))
