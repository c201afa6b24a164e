"""What apt says, and what is made of it."""

import os
from pathlib import Path

import pytest

from tools.guest_image import packages
from tools.guest_image.errors import GuestImageUnavailable

SHOWN = """\
Package: iproute2
Version: 6.1.0-3
Installed-Size: 3000
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: debconf (>= 0.5) | debconf-2.0, libbpf1 (>= 1:0.6.0), libc6 (>= 2.34)
Description-en: networking and traffic control tools
 Depends: nothing here
Size: 1045828
SHA256: abc

Package: iproute2
Version: 5.0
Size: 1
SHA256: old

Package: local
Version: 1
"""


def test_the_first_stanza_of_a_name_is_the_candidate() -> None:
    found = packages.parse_stanzas(SHOWN)
    assert found == {
        "iproute2": packages.Package(
            "iproute2",
            "6.1.0-3",
            "abc",
            1045828,
            ("init-system-helpers", "debconf", "libbpf1", "libc6"),
        )
    }


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose programs stand in for apt and dpkg."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return tmp_path


def stand_in(folder: Path, name: str, script: str) -> None:
    place = folder / name
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


def test_a_machine_without_apt_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GuestImageUnavailable, match="apt-get, apt-cache, dpkg-deb is missing"):
        packages.require_tools()


def test_another_architecture_is_told(apt: Path) -> None:
    stand_in(apt, "dpkg", "echo arm64")
    with pytest.raises(GuestImageUnavailable, match="apt here serves arm64"):
        packages.require_tools()


def test_missing_lists_are_told(apt: Path) -> None:
    stand_in(apt, "apt-cache", "echo 'E: No packages found' >&2; exit 100")
    with pytest.raises(GuestImageUnavailable, match=r"knows no package dash.*apt-get update"):
        packages.candidates(["dash"])


def test_a_failed_download_is_told_with_apts_words(apt: Path, tmp_path: Path) -> None:
    stand_in(apt, "apt-get", "echo '404  Not Found' >&2; exit 100")
    wanted = packages.Package("dash", "1", "abc", 1, ())
    with pytest.raises(GuestImageUnavailable, match=r"apt-get update.*404  Not Found"):
        packages.fetch([wanted], tmp_path / "work")


def test_an_archive_that_cannot_be_unpacked_is_told_in_one_line(apt: Path, tmp_path: Path) -> None:
    stand_in(apt, "apt-get", "touch dash_1_amd64.deb")
    stand_in(apt, "dpkg-deb", "echo 'tar: broken' >&2; echo 'tar: again' >&2; exit 2")
    wanted = packages.Package("dash", "1", "abc", 1, ())
    with pytest.raises(GuestImageUnavailable, match=r"dash cannot be unpacked.*tar: broken$"):
        packages.fetch([wanted], tmp_path / "work")


def test_a_full_disk_is_told_as_such(apt: Path, tmp_path: Path) -> None:
    stand_in(apt, "apt-get", "echo 'W: odd'; echo 'E: write: No space left on device' >&2; exit 1")
    wanted = packages.Package("dash", "1", "abc", 1, ())
    with pytest.raises(OSError, match="No space left"):
        packages.fetch([wanted], tmp_path / "work")


def test_unpacked_packages_lie_side_by_side(apt: Path, tmp_path: Path) -> None:
    stand_in(apt, "apt-get", "touch dash_1%3a2_amd64.deb")
    stand_in(apt, "dpkg-deb", 'mkdir "$3"; touch "$3/file"')
    work = tmp_path / "work"
    packages.fetch([packages.Package("dash", "1:2", "abc", 1, ())], work)
    assert [str(place.relative_to(work)) for place in sorted(work.rglob("*"))] == [
        "dash",
        "dash/file",
    ]
