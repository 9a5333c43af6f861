"""The benchmark of drawn labels' intervals: its worlds are as they say, and the short form's claims hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage import main
from benchmarks.covering.published import by_probability, gamma, linearised
from benchmarks.covering.world import Setting, draw_of, run_of


@pytest.mark.parametrize("setting", [Setting(size=40_000, rho=0.3), Setting(size=40_000, rate=0.2, repeats=0.9)])
def test_a_simulated_run_has_its_rate_and_its_draw_its_shares(setting: Setting) -> None:
    chance = np.random.default_rng(1)
    run = run_of(setting, chance)
    assert run.rate == pytest.approx(setting.rate, rel=0.15)
    assert run.records.sum() == setting.size
    draw = draw_of(setting, run, chance)
    agree = run.accepted == run.second
    assert draw.drawn[agree].mean() == pytest.approx(setting.rest, rel=0.15)
    assert draw.drawn[~agree].mean() == pytest.approx(0.8, rel=0.05)


def test_labels_are_as_often_wrong_and_slices_have_the_rates_that_a_cell_says() -> None:
    chance = np.random.default_rng(1)
    setting = Setting(size=80_000, rate=0.2, rho=0.0, labellers=3, mistaken=0.1, by=4, rest=1.0)
    run = run_of(setting, chance)
    for number, rate in enumerate([0.1, 0.5 / 3, 0.7 / 3, 0.3]):
        assert run.rate_of(run.slice == number) == pytest.approx(rate, rel=0.1)
    blamed = draw_of(setting, run, chance).blamed
    assert blamed[run.right].mean() / 3 == pytest.approx(0.1, rel=0.05)
    assert blamed[~run.right].mean() / 3 == pytest.approx(0.9, rel=0.05)


def test_heavy_tails_make_one_text_or_group_a_large_part_of_a_run() -> None:
    chance = np.random.default_rng(1)
    texts = run_of(Setting(tail=0.8), chance)
    assert texts.records.max() > 0.05 * texts.records.sum()
    groups = run_of(Setting(uneven=0.8), chance)
    assert np.bincount(groups.group).max() > 0.05 * len(groups.group)


def test_published_intervals_by_hand() -> None:
    none, alike = np.zeros(100, dtype=np.bool_), np.ones(100)
    # with equal weights the gamma interval is the exact one of a Poisson count: 3.69 events above none
    assert gamma(none, alike) == pytest.approx((0, 0.036889), abs=1e-6)
    assert linearised(none, alike) == pytest.approx(by_probability(none, alike))


def test_the_short_form_holds_its_claims(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    assert (tmp_path / "coverage.short.json").exists()
