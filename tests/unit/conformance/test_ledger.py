"""Journals that grow, and journals merged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fixtures.conformance import ledger


def line(kind: str, seq: int, mono: float, **fields: Any) -> str:
    return json.dumps({"kind": kind, "seq": seq, "mono": mono, **fields}, separators=(",", ":"))


def test_a_tail_yields_each_record_once_and_no_versions_of_objects(tmp_path: Path) -> None:
    tail = ledger.Tail(tmp_path)
    assert list(tail.records()) == []
    path = tmp_path / "a.jsonl"
    path.write_text(line("object", 1, 1.0) + "\n" + line("step", 2, 2.0) + "\n", encoding="utf-8")
    assert [record["seq"] for record in tail.records()] == [2]
    assert list(tail.records()) == []

    whole = line("step", 3, 3.0) + "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[:10])
    assert list(tail.records()) == []
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[10:])
    (tmp_path / "b.jsonl").write_text(line("step", 1, 4.0) + "\n", encoding="utf-8")
    assert [record["mono"] for record in tail.records()] == [3.0, 4.0]


def test_a_merge_orders_by_time_and_leaves_a_torn_line_out(tmp_path: Path) -> None:
    folder = tmp_path / "journal.d"
    folder.mkdir()
    first = "".join(line("a", n, n * 2.0) + "\n" for n in (1, 2, 3))
    second = "".join(line("b", n, n * 2.0 - 1) + "\n" for n in (1, 2, 3))
    (folder / "a.jsonl").write_text(first + '{"kind":"a","seq":4,"mo', encoding="utf-8")
    (folder / "b.jsonl").write_text(second, encoding="utf-8")
    ledger.merge(folder, tmp_path / "journal.jsonl")
    merged = (tmp_path / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(each)["mono"] for each in merged] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
