"""No file of ours outgrows a reader: at most 300 lines each, better 250."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

MOST_LINES = 300
SUFFIXES = frozenset({".feature", ".go", ".py", ".sh"})
VAGUE_NAMES = frozenset({"base", "common", "helpers", "misc", "utils"})
"""Names of modules that say nothing of what is inside, and so gather everything."""


def tracked(root: Path) -> list[Path]:
    """The files that git knows or would take up, relative to `root`."""
    argv = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted({Path(name) for name in listed.split("\0") if name})


def check(root: Path = Path(), files: Iterable[Path] | None = None) -> list[str]:
    """Complaints about files that are too long or vaguely named."""
    names = tracked(root) if files is None else files
    sources = [path for path in names if path.suffix in SUFFIXES and (root / path).exists()]
    if not any(path.suffix == ".py" for path in sources):
        return [f"{root}: no Python file found; the check has nothing to check"]
    complaints = []
    for path in sources:
        lines = len((root / path).read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES:
            complaints.append(
                f"{path}: {lines} lines, at most {MOST_LINES}; name the two things in it apart"
            )
        if vague := VAGUE_NAMES.intersection((*path.parts[:-1], path.stem)):
            complaints.append(f"{path}: {min(vague)!r} names nothing; call it by its content")
    return complaints


if __name__ == "__main__":
    found = check()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
