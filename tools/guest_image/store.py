"""The cache of guest images: where they are, and what names them.

    <cache>/guest/recipes/<recipe>          the key of the image that this recipe made last
    <cache>/guest/<key>/                    kernel, initrd (the key digests both), packages.txt
    <cache>/guest/<key>/template-<digest>/  a saved guest, for one QEMU and one shape of machine

Everything appears by a rename after it is whole. Nothing is removed, for a running environment may
use it; the folder may be deleted whenever none runs.
"""

import errno
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.controlplane.location import cache_folder
from tools.guest_image.errors import GuestImageUnavailable

ROOM = Path(__file__).resolve().parent
RECIPE = ("cpio.py", "elf.py", "rootfs.py", "rootfs/*/*")
"""The files that decide what is in the image."""
KEY_DIGITS = 16


def folder() -> Path:
    """Where guest images are kept."""
    return cache_folder() / "guest"


def recipe() -> str:
    """Names what decides the image, but for the versions of the packages."""
    digest = hashlib.sha256()
    for place in sorted(place for pattern in RECIPE for place in ROOM.glob(pattern)):
        digest.update(f"{place.relative_to(ROOM)}\0".encode() + place.read_bytes())
    return digest.hexdigest()[:KEY_DIGITS]


def key_of(*contents: bytes) -> str:
    """Names an image by its content."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:KEY_DIGITS]


def image_folder() -> Path | None:
    """The folder of the image that the present recipe made, if it did."""
    pointer = folder() / "recipes" / recipe()
    try:
        found = folder() / pointer.read_text().strip()
    except FileNotFoundError:
        return None
    return found if found.is_dir() else None


def point_to(key: str) -> None:
    """Note which image the present recipe made."""
    pointer = folder() / "recipes" / recipe()
    pointer.parent.mkdir(parents=True, exist_ok=True)
    fresh = pointer.with_suffix(f".{os.getpid()}")
    fresh.write_text(f"{key}\n")
    fresh.replace(pointer)


@contextmanager
def fresh_folder(target: Path) -> Iterator[Path]:
    """A folder to fill; it becomes `target` if nothing fails, and is removed otherwise."""
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=target.parent))
    try:
        yield work
        if target.is_dir():
            shutil.rmtree(target)
        work.chmod(0o755)
        work.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextmanager
def alone(say: Callable[[str], None]) -> Iterator[None]:
    """Keep others from making images meanwhile; wait for one who does."""
    with readable_troubles():
        folder().mkdir(parents=True, exist_ok=True)
        with (folder() / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("waiting for another process that makes the guest image")
                fcntl.flock(lock, fcntl.LOCK_EX)
            _sweep()
            yield


@contextmanager
def readable_troubles() -> Iterator[None]:
    """Say what to do about a full disk or a folder that cannot be written."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise GuestImageUnavailable(
                f"no room left in {folder()}; the guest image needs 200 MB while it is made, 130 MB"
                " after: make room, or set PLUMBLINE_CACHE to a folder on another disk"
            ) from exc
        if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise GuestImageUnavailable(
                f"{exc.filename or folder()} cannot be written; set PLUMBLINE_CACHE to a folder of"
                " your own"
            ) from exc
        raise


def _sweep() -> None:
    """Remove what killed processes left; the lock is held, so nobody is at it."""
    for left in [*folder().glob(".making-*"), *folder().glob("*/.making-*")]:
        shutil.rmtree(left, ignore_errors=True)
