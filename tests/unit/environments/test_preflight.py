"""What is said of a machine that lacks something."""

from __future__ import annotations

from pathlib import Path

from e2e.environments import preflight


def test_each_missing_program_is_named_with_its_package(tmp_path: Path) -> None:
    lines = preflight.missing_programs(str(tmp_path))
    assert len(lines) == len(preflight.PROGRAMS)
    assert any("qemu-system-x86_64" in line and "qemu-system-x86" in line for line in lines)


def test_a_device_that_opens_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "tun").touch()
    assert preflight.tun_trouble(tmp_path / "tun") == []


def test_a_missing_device_says_which_module_it_needs(tmp_path: Path) -> None:
    (line,) = preflight.tun_trouble(tmp_path / "tun")
    assert "modprobe tun" in line


def test_the_systems_folders_are_searched_too() -> None:
    assert "/usr/sbin" in preflight.search_path().split(":")
