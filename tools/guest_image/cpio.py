"""Writes an initramfs archive (cpio "newc", uncompressed): equal entries give equal bytes.

Owners are root and times are zero, so nothing of the machine or the moment gets in. Uncompressed,
because guests map the file (its pages are shared) and an emulated processor unpacks slowly.
"""

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

END = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """A file, directory or symbolic link: `mode` has the type bits, a link holds its target."""

    mode: int
    content: bytes = b""


def directory(permissions: int = 0o755) -> Entry:
    return Entry(stat.S_IFDIR | permissions)


def file(content: bytes, *, executable: bool = False) -> Entry:
    return Entry(stat.S_IFREG | (0o755 if executable else 0o644), content)


def link(target: str) -> Entry:
    return Entry(stat.S_IFLNK | 0o777, target.encode())


def archive(tree: Mapping[str, Entry]) -> bytes:
    """The archive of `tree` (relative path to entry), parents first; missing parents are added."""
    whole = dict(tree)
    for path in tree:
        for parent in PurePosixPath(path).parents:
            if str(parent) != ".":
                whole.setdefault(str(parent), directory())
    parts = [
        _record(number, path, whole[path])
        for number, path in enumerate(sorted(whole, key=lambda path: path.split("/")), start=1)
    ]
    parts.append(_record(0, END, Entry(0)))
    joined = b"".join(parts)
    return joined + bytes(-len(joined) % 512)


def _record(number: int, path: str, entry: Entry) -> bytes:
    name = path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    # inode, mode, uid, gid, links, mtime, size, 2 x device, 2 x device number, name size, checksum
    numbers = (number, entry.mode, 0, 0, links, 0, len(entry.content), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(b"%08X" % value for value in numbers) + name
    return _padded(head) + _padded(entry.content)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
