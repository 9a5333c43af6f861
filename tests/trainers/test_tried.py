"""The table of what was tried: the page has it as it is printed, and its versions are those that are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trueward.cli import app
from trueward.trainers import pasting, tried

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/trainers"


def pinned(file: str) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in found}


def test_the_page_has_the_table_as_it_is_printed() -> None:
    printed = CliRunner().invoke(app, ["trainers", "tried"]).output
    assert printed == tried.table()
    assert printed in (PAGES / "tried.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("one", tried.every(), ids=lambda one: one.name)
def test_a_version_is_that_of_the_tests_environment(one: tried.Tried) -> None:
    assert (PAGES / f"{one.page}.md").exists()
    assert pasting.find(one.name).name == one.name
    versions = pinned("constraints-trl.txt") | pinned("constraints-trainers.txt")
    assert one.package is None or versions[one.package] == one.version


def test_every_trainer_with_lines_was_tried_or_is_another_s() -> None:
    same = {"axolotl": "trl", "unsloth": "trl", "prime-rl": "prime", "other": None}
    names = {one.name for one in tried.every()}
    assert {lines.name for lines in pasting.every()} == names | same.keys()
