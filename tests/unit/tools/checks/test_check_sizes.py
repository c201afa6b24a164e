"""Files that outgrow a reader, and names that say nothing."""

import subprocess
from pathlib import Path

from tools.checks import check_sizes
from tools.checks.check_sizes import MOST_LINES


def write(root: Path, name: str, lines: int = 1) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\n" * lines)
    return Path(name)


def test_the_longest_file_allowed_is_no_complaint(tmp_path: Path) -> None:
    assert check_sizes.check(tmp_path, [write(tmp_path, "a.py", MOST_LINES)]) == []


def test_a_longer_one_is_named_with_its_length(tmp_path: Path) -> None:
    (complaint,) = check_sizes.check(tmp_path, [write(tmp_path, "room/a.py", MOST_LINES + 1)])
    assert complaint.startswith("room/a.py: 301 lines")


def test_data_may_be_long(tmp_path: Path) -> None:
    files = [write(tmp_path, "a.py"), write(tmp_path, "go.sum", 5000)]
    assert check_sizes.check(tmp_path, files) == []


def test_modules_and_packages_need_a_name_that_says_something(tmp_path: Path) -> None:
    files = [write(tmp_path, "room/utils.py"), write(tmp_path, "common/a.py")]
    assert [line.split(":")[0] for line in check_sizes.check(tmp_path, files)] == [
        "room/utils.py",
        "common/a.py",
    ]


def test_finding_no_source_is_a_complaint(tmp_path: Path) -> None:
    (complaint,) = check_sizes.check(tmp_path, [write(tmp_path, "README.md")])
    assert "nothing to check" in complaint


def test_new_files_count_and_ignored_ones_do_not(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("made/\n")
    write(tmp_path, "made/a.py")
    write(tmp_path, "new.py")
    assert check_sizes.tracked(tmp_path) == [Path(".gitignore"), Path("new.py")]
