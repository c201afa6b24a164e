"""The cache of guest images."""

import errno
from pathlib import Path

import pytest

from tools.guest_image import store
from tools.guest_image.errors import GuestImageUnavailable


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path))
    return tmp_path / "guest"


def test_an_image_is_found_once_it_is_whole(cache: Path) -> None:
    assert store.image_folder() is None
    store.point_to("some-key")
    assert store.image_folder() is None
    with store.fresh_folder(cache / "some-key") as fresh:
        (fresh / "kernel").touch()
        assert store.image_folder() is None
    assert store.image_folder() == cache / "some-key"


def test_nothing_is_left_of_a_failed_attempt(cache: Path) -> None:
    def attempt() -> None:
        with store.fresh_folder(cache / "key") as fresh:
            (fresh / "kernel").touch()
            raise ValueError("halfway")

    with pytest.raises(ValueError, match="halfway"):
        attempt()
    assert list(cache.iterdir()) == []


def test_leavings_of_killed_processes_are_swept(cache: Path) -> None:
    (cache / ".making-1").mkdir(parents=True)
    (cache / "key" / ".making-2").mkdir(parents=True)
    with store.alone(lambda _: None):
        assert not list(cache.rglob(".making-*"))


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.ENOSPC, "make room"), (errno.EROFS, "PLUMBLINE_CACHE"), (errno.EACCES, "of your own")],
)
def test_troubles_of_the_disk_come_with_advice(number: int, advice: str) -> None:
    with pytest.raises(GuestImageUnavailable, match=advice), store.readable_troubles():
        raise OSError(number, "no")


def test_other_troubles_stay_what_they_are() -> None:
    with pytest.raises(OSError, match="odd"), store.readable_troubles():
        raise OSError(errno.EIO, "odd")


def test_the_key_depends_on_each_part() -> None:
    assert len({store.key_of(b"a", b"bc"), store.key_of(b"ab", b"c"), store.key_of(b"a")}) == 3
