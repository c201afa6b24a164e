"""The initramfs archive."""

from tools.guest_image import cpio

TREE = {
    "usr/bin/tool": cpio.file(b"#!/bin/sh\n", executable=True),
    "etc/name": cpio.file(b"guest\n"),
    "bin": cpio.link("usr/bin"),
    "root": cpio.directory(0o700),
}


def test_equal_trees_give_equal_bytes_in_any_order() -> None:
    assert cpio.archive(TREE) == cpio.archive(dict(reversed(TREE.items())))


def test_parents_come_before_their_children() -> None:
    names = [name for name, _ in entries(cpio.archive(TREE))]
    assert names == ["bin", "etc", "etc/name", "root", "usr", "usr/bin", "usr/bin/tool"]


def test_modes_owners_and_times_are_those_asked_for() -> None:
    found = dict(entries(cpio.archive(TREE)))
    modes = {name: fields[1] for name, fields in found.items()}
    assert modes["root"] == 0o40700
    assert modes["usr/bin/tool"] == 0o100755
    assert modes["bin"] == 0o120777
    assert {(fields[2], fields[3], fields[5]) for fields in found.values()} == {(0, 0, 0)}


def entries(archive: bytes) -> list[tuple[str, list[int]]]:
    """Names and header numbers, read by the format's rules."""
    found: list[tuple[str, list[int]]] = []
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        name = archive[at + 110 : at + 110 + fields[11] - 1].decode()
        if name == "TRAILER!!!":
            return found
        found.append((name, fields))
        content = -(-(at + 110 + fields[11]) // 4) * 4
        at = -(-(content + fields[6]) // 4) * 4
