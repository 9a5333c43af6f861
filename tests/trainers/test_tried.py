"""The table of what was tried: the page has it as it is printed, and its versions are those that are installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from tests.supply.pins import pinned
from trueward.cli import app
from trueward.trainers import pasting, tried

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/trainers"
LOCKS = (ROOT / "locks/trl.txt", ROOT / "locks/trainers.txt")


def test_the_page_has_the_table_as_it_is_printed() -> None:
    printed = CliRunner().invoke(app, ["trainers", "tried"]).output
    assert printed == tried.table()
    assert printed in (PAGES / "tried.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("one", tried.every(), ids=lambda one: one.name)
def test_a_version_is_that_of_the_tests_environment(one: tried.TriedTrainer) -> None:
    assert (PAGES / f"{one.page}.md").exists()
    assert pasting.find(one.name).name == one.name
    versions = {name: version for lock in LOCKS for name, version in pinned(lock.read_text(encoding="utf-8")).items()}
    assert one.package is None or versions[canonicalize_name(one.package)] == one.version


def test_every_trainer_with_lines_was_tried_or_is_another_s() -> None:
    same = {"axolotl": "trl", "unsloth": "trl", "prime-rl": "prime", "other": None}
    names = {one.name for one in tried.every()}
    assert {lines.name for lines in pasting.every()} == names | same.keys()
