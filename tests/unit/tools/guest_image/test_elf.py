"""Reading ELF files, and the one that is written."""

import subprocess
from pathlib import Path

from tools.guest_image import elf

EPERM = 1


def test_a_program_names_the_libraries_it_loads() -> None:
    assert "libc.so.6" in elf.needed(Path("/bin/sh").read_bytes())


def test_something_else_needs_nothing() -> None:
    assert elf.needed(b"#!/bin/sh\n") == ()
    assert elf.module_dependencies(b"") == ()


def test_the_written_program_is_static_and_runs(tmp_path: Path) -> None:
    place = tmp_path / "reseed"
    place.write_bytes(elf.reseed_program())
    place.chmod(0o755)
    assert elf.needed(place.read_bytes()) == ()
    # It tells the kernel's answer, which only root likes.
    assert subprocess.run([place], check=False).returncode in (0, EPERM)
