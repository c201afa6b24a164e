"""When `.venv` is made again."""

from pathlib import Path

import pytest

from tools.setup import environment
from tools.setup.stages import StageFailed


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "requirements.lock").write_text("one==1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "plumbline").write_text("")
    return tmp_path


def test_it_is_made_once(checkout: Path) -> None:
    assert not environment.is_current(checkout, "3.11")
    environment.make(lambda _title, _argv: None, checkout, "3.11")
    assert environment.is_current(checkout, "3.11")


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_changed_pin_makes_it_anew(checkout: Path, name: str) -> None:
    environment.make(lambda _title, _argv: None, checkout, "3.11")
    (checkout / name).write_text("changed")
    assert not environment.is_current(checkout, "3.11")


def test_another_python_makes_it_anew(checkout: Path) -> None:
    environment.make(lambda _title, _argv: None, checkout, "3.11")
    assert not environment.is_current(checkout, "3.12")


def test_an_interrupted_install_counts_for_nothing(checkout: Path) -> None:
    environment.make(lambda _title, _argv: None, checkout, "3.11")

    def fail(title: str, _argv: list[str]) -> None:
        raise StageFailed(title)

    with pytest.raises(StageFailed, match=r"making \.venv"):
        environment.make(fail, checkout, "3.11")
    assert not environment.is_current(checkout, "3.11")


def test_everything_is_verified_by_hash(checkout: Path) -> None:
    commands: list[list[str]] = []
    environment.make(lambda _title, argv: commands.append(argv), checkout, "3.11")
    installs = [argv for argv in commands if "install" in argv]
    assert any("--require-hashes" in argv for argv in installs)
    assert all("--require-hashes" in argv or "--no-deps" in argv for argv in installs)
