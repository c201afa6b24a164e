"""Which folders hold a template."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from reference_controller.node.drivers.machine import Boot, Shape
from reference_controller.node.drivers.template import Template, TemplateUnusable

BOOT = Boot(Path("/k"), Path("/i"))
SHAPE = Shape(memory_mib=1, slots=3)


def saved(folder: Path, *, ram: int = 1 << 20, state: bytes = b"x") -> Path:
    (folder / "ram").touch()
    with (folder / "ram").open("r+b") as file:
        file.truncate(ram)
    (folder / "state").write_bytes(state)
    (folder / "template.json").write_text(json.dumps(asdict(SHAPE)))
    return folder


def test_a_whole_one_is_loaded_with_its_shape(tmp_path: Path) -> None:
    assert Template.load(saved(tmp_path), BOOT) == Template(tmp_path, BOOT, SHAPE)


def test_an_empty_folder_is_none(tmp_path: Path) -> None:
    with pytest.raises(TemplateUnusable, match="no template"):
        Template.load(tmp_path, BOOT)


@pytest.mark.parametrize("torn", [{"ram": 4096}, {"state": b""}])
def test_a_torn_one_is_told(tmp_path: Path, torn: dict[str, object]) -> None:
    saved(tmp_path, **torn)  # type: ignore[arg-type]
    with pytest.raises(TemplateUnusable, match="torn"):
        Template.load(tmp_path, BOOT)
