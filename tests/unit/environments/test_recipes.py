"""How components are started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from e2e.environments.embedded import recipes, settings
from e2e.environments.embedded.layout import Layout
from e2e.environments.embedded.recipes import CommandUnusable, GuestFiles, Recipe

GUEST = GuestFiles(Path("/g/kernel"), Path("/g/initrd"), Path("/g/template"))


def test_a_command_is_split_like_a_shell_would() -> None:
    assert recipes.parse_command("a 'b c' --x={kubeconfig}") == ("a", "b c", "--x={kubeconfig}")


def test_braces_that_are_no_placeholder_are_left_alone() -> None:
    argv = recipes.parse_command("""prog '{"json": {"a": 1}}' {webhook_port}""")
    command = Recipe("vm", "vm", argv).command(Path("/k"), Path("/c"), 7)
    assert command == ["prog", '{"json": {"a": 1}}', "7"]


@pytest.mark.parametrize(
    ("text", "token"),
    [("", "empty"), ("  ", "empty"), ("a 'b", "'b"), ("a {kubeconfg}", "{kubeconfg}")],
)
def test_a_command_that_cannot_be_run(text: str, token: str) -> None:
    with pytest.raises(CommandUnusable, match=token):
        recipes.parse_command(text)


def test_every_placeholder_is_replaced() -> None:
    recipe = Recipe("vm", "vm", recipes.parse_command(recipes.REFERENCE))
    command = recipe.command(Path("/k"), Path("/c"), 8443)
    assert command[:3] == [sys.executable, "-m", "reference_controller.vm"]
    assert command[3:] == ["--kubeconfig", "/k", "--cert-dir", "/c", "--webhook-port", "8443"]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [(("sh",), True), (("{python}", "x"), True), (("no-such-program-here",), False)],
)
def test_startable(argv: tuple[str, ...], expected: bool) -> None:
    assert recipes.startable(argv) is expected


def test_the_platform_has_two_stand_ins_and_an_agent_on_each_node() -> None:
    made = recipes.platform(GUEST, Layout())
    assert [recipe.name for recipe in made] == ["virt", "sdn", *settings.NODES]
    agent = made[-1]
    assert agent.account == "node"
    assert "/run/plumbline/guests/node-b" in agent.argv
    assert {"/g/kernel", "/g/initrd", "/g/template"} <= set(agent.argv)


def test_the_implementation_learns_its_settings_from_the_environment() -> None:
    environ = recipes.implementation(("x",)).environ
    assert environ["VIRTUAL_MACHINE_CIDRS"] == "10.66.10.0/24"
    assert environ["SDN_ENABLED"] == "true"


def test_components_inherit_no_proxy() -> None:
    environ = {"HTTPS_PROXY": "x", "no_proxy": "y", "PATH": "/bin", "PROXY_OF_MINE": "z"}
    assert recipes.inherited(environ) == {"PATH": "/bin", "PROXY_OF_MINE": "z"}
