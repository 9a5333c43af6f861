"""The short forms of the benchmarks that need a real model run, and their claims hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.forms import ran_apart

pytestmark = pytest.mark.real


def test_every_way_writes_alone_and_with_others(tmp_path: Path) -> None:
    rates = ran_apart("writing", tmp_path)["rates"]
    assert isinstance(rates, list)
    assert len(rates) == 10


def test_replies_to_presets_are_read(tmp_path: Path) -> None:
    presets = ran_apart("held", tmp_path)["presets"]
    assert isinstance(presets, list)
    assert len(presets) == 2
