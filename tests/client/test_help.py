"""The first page of the command: what it says of each command is what the command says, and it imports none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import trueward
from trueward import cli
from trueward.commands.exits import ExitCode, exit_code
from trueward.commands.lazy import LazyGroup
from trueward.wire.verdict import Outcome


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_summary_of_a_command_is_its_own(name: str) -> None:
    first, _, _ = (cli.COMMANDS[name].load(name).help or "").strip().partition("\n\n")
    assert cli.COMMANDS[name].summary == " ".join(first.split())


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_each_command_is_found_and_called_by_its_name(name: str) -> None:
    shown = CliRunner().invoke(cli.app, [name, "--help"], prog_name="trueward")
    assert shown.exit_code == 0, shown.output
    assert f"trueward {name}" in shown.output


def test_a_misspelt_command_is_told_the_nearest() -> None:
    shown = CliRunner().invoke(cli.app, ["vrify"])
    assert shown.exit_code == 2
    assert "verify" in shown.output


def modules_of(*line: str) -> set[str]:
    """What the command has imported when it ends."""
    program = "import sys\nfrom trueward.cli import app\ntry:\n    app(sys.argv[1:])\nfinally:\n    print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program, *line], capture_output=True, text=True)
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("line", ["--help", "--version"])
def test_help_imports_no_command_no_type_and_no_http(line: str) -> None:
    imported = modules_of(line)
    assert "trueward.cli" in imported
    assert imported.isdisjoint({"trueward.types", "trueward.client", "httpx2", "numpy", "pydantic"})
    commands = {name for name in imported if name.startswith("trueward.commands.")}
    assert commands == {"trueward.commands.exits", "trueward.commands.lazy"}


def test_every_name_of_the_package_is_there() -> None:
    assert all(getattr(trueward, name) is not None for name in trueward.__all__)
    assert set(trueward.__all__) == {*trueward._PLACES, "__version__"}


def test_outcomes_that_are_accepted_are_outcomes() -> None:
    accepted = {outcome for outcome in Outcome if exit_code([outcome]) is ExitCode.ACCEPTED}
    assert accepted == {Outcome.CORRECT, Outcome.SCORED}


def test_a_group_without_places_has_no_commands() -> None:
    assert LazyGroup(name="empty").commands == {}
