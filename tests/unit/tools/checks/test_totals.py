"""The last line of a CI run."""

from pathlib import Path

import pytest

from tools.checks.totals import NothingCounted, Totals, count, main, of_junit, of_report

JUNIT = """<testsuites><testsuite>
<testcase name="good"/><testcase name="bad"><failure/></testcase>
<testcase name="worse"><failure/><error/></testcase><testcase name="left"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_test_that_fails_twice_counts_once() -> None:
    assert of_junit(JUNIT) == Totals(passed=1, failed=2)


@pytest.mark.parametrize(
    ("verdict", "totals"),
    [
        ("passed", Totals(1, 0)),
        ("not-run", Totals(0, 0)),
        ("not-supported", Totals(0, 0)),
        ("failed", Totals(0, 1)),
        ("error", Totals(0, 1)),
        ("inconclusive", Totals(0, 1)),
        ("known-different", Totals(0, 1)),
    ],
)
def test_only_passed_is_good(verdict: str, totals: Totals) -> None:
    assert of_report(f'{{"scenarios": [{{"verdict": "{verdict}"}}]}}') == totals


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xml", "<testsuites/>"),
        ("a.xml", "<broken"),
        ("a.json", '{"scenarios": []}'),
        ("a.json", "[]"),
        ("a.json", "{}"),
        ("a.json", ""),
    ],
)
def test_a_file_without_results_counts_for_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(NothingCounted, match="holds no results"):
        count(tmp_path / name)


def test_the_sum_is_the_last_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.xml").write_text("<t><testcase/></t>")
    (tmp_path / "b.json").write_text('{"scenarios": [{"verdict": "passed"}]}')
    assert main([f"tests={tmp_path}/a.xml", f"scenarios={tmp_path}/b.json"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 0 failed"


def test_a_part_that_did_not_run_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.xml").write_text("<t><testcase/></t>")
    assert main([f"tests={tmp_path}/a.xml", f"scenarios={tmp_path}/absent.json"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 1 failed"
