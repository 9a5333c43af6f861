"""The short form of ``benchmarks.patience`` runs in virtual time, keeps its claims and has every scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.forms import ran

pytestmark = pytest.mark.benchmark


def test_patience_judges_every_scene(tmp_path: Path) -> None:
    found = ran("patience", tmp_path)["found"]
    assert isinstance(found, list)
    assert len(found) == 15
    for one in found:
        assert isinstance(one, dict)
        assert one["missing"] == {}, one["scene"]
        assert one["curable"] or one["hopeless"], one["scene"]
