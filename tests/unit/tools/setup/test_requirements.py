"""What a machine lacks, in words that say what to do."""

import functools
import operator
from pathlib import Path

from tools.setup import requirements
from tools.setup.requirements import KERNEL_PROBES, NAMESPACES, Package, Probe


def test_a_complete_machine_lacks_nothing() -> None:
    assert requirements.missing_packages(lambda _package: True) == ()
    assert requirements.kernel_refusals(lambda _probe: True) == ()


def test_a_command_that_does_not_exist_is_missing() -> None:
    assert not requirements.is_installed(Package("none", "no-such-command-anywhere", "nothing"))
    assert requirements.is_installed(Package("dash", "sh", "scripts"))


def test_a_package_may_be_proved_by_a_file(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("")
    assert requirements.is_installed(Package("files", str(there), "tests"))
    assert not requirements.is_installed(Package("files", str(tmp_path / "absent"), "tests"))


def test_each_missing_package_is_one_line_with_its_command() -> None:
    lines = [
        str(requirements.describe(one)) for one in requirements.missing_packages(lambda _: False)
    ]
    assert len(lines) == len(requirements.PACKAGES)
    assert all(line.startswith("missing: ") and "apt-get install " in line for line in lines)
    assert not any("\n" in line for line in lines)


def test_without_namespaces_nothing_else_is_blamed() -> None:
    (only,) = requirements.kernel_refusals(lambda _probe: False)
    assert only.what == NAMESPACES.what


def test_each_kernel_refusal_is_told_apart() -> None:
    for probe in KERNEL_PROBES:
        (only,) = requirements.kernel_refusals(functools.partial(operator.ne, probe))
        assert str(only) == f"missing: {probe.what}; {probe.todo}"


def test_a_probe_that_cannot_start_does_not_pass() -> None:
    assert requirements.passes(Probe("true", ("true",), ""))
    assert not requirements.passes(Probe("false", ("false",), ""))
    assert not requirements.passes(Probe("absent", ("no-such-command-anywhere",), ""))


def test_apt_knows_packages_once_it_has_a_list(tmp_path: Path) -> None:
    assert not requirements.apt_knows_packages(tmp_path)
    (tmp_path / "mirror_dists_bookworm_main_binary-amd64_Packages.lz4").write_text("")
    assert requirements.apt_knows_packages(tmp_path)
