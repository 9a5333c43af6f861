"""The short forms of the benchmarks of what is stored run on both databases, and their claims hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.forms import ran

pytestmark = [pytest.mark.benchmark, pytest.mark.postgres]


def test_audits_find_what_was_planted_in_either_database(tmp_path: Path) -> None:
    found = ran("audit", tmp_path)["audits"]
    assert isinstance(found, list)
    assert [one["database"] for one in found if isinstance(one, dict)] == ["sqlite", "postgresql"]


def test_every_page_answers_on_either_database(tmp_path: Path) -> None:
    found = ran("pages", tmp_path)["measured"]
    assert isinstance(found, list)
    assert [one["database"] for one in found if isinstance(one, dict)] == ["sqlite", "postgresql"]
