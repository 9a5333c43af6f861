"""The benchmark of consensus: its votes have the planted rates, and its short form's claims hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.consensus import Cell, drawn, main


def test_the_votes_have_the_planted_rates() -> None:
    patterns, counts = drawn(Cell((0.9, 0.6), 100_000, 0.3), np.random.default_rng(0))
    assert counts.sum() == 100_000
    accepting = counts @ patterns / counts.sum()
    assert accepting == pytest.approx([0.3 * 0.9 + 0.7 * 0.1, 0.3 * 0.6 + 0.7 * 0.4], abs=0.01)


@pytest.mark.benchmark
def test_the_short_form_holds_its_claims(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    assert (tmp_path / "consensus.short.json").exists()
