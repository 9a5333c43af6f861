"""The benchmark of slices' rates: its simulator is right by hand, and its short form's claims hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.slice_rates import World, corrected, main


def test_exact_rates_leave_the_sampling_alone_between_the_update_and_the_clean_one() -> None:
    half = np.array([0.5, 0.5])
    exact = World(half, half, np.array([0.0, 0.4]), np.array([0.0, 0.1]))
    assert exact.cosine(corrected(exact.positive, exact.negative)) == pytest.approx(0.99, abs=0.01)
    perfect = World(half, half, np.zeros(2), np.zeros(2))
    assert perfect.cosine(np.array([[0.0, 1.0]] * 2)) == pytest.approx((1 + 0.25 / 1024 / 0.0625) ** -0.5)
    assert exact.cosine(np.full((2, 2), np.nan)) == 0


@pytest.mark.benchmark
def test_the_short_form_holds_its_claims(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    assert (tmp_path / "slice_rates.short.json").exists()
