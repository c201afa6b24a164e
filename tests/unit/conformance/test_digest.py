"""The digest of the rooms that judge."""

from __future__ import annotations

from pathlib import Path

from fixtures.conformance.digest import tree_digest


def test_it_follows_names_and_contents_and_nothing_else(tmp_path: Path) -> None:
    room = tmp_path / "steps"
    (room / "__pycache__").mkdir(parents=True)
    (room / "a.py").write_text("1", encoding="utf-8")
    first = tree_digest(tmp_path)
    assert first.startswith("sha256:")
    assert len(first) == 71

    (room / "__pycache__" / "a.pyc").write_text("x", encoding="utf-8")
    (room / ".hidden").write_text("x", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("x", encoding="utf-8")
    assert tree_digest(tmp_path) == first

    (room / "a.py").write_text("2", encoding="utf-8")
    second = tree_digest(tmp_path)
    (room / "a.py").rename(room / "b.py")
    assert len({first, second, tree_digest(tmp_path)}) == 3
