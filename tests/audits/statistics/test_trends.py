"""Tests by stratum after every step: however strata are dealt, what one stratum always was is no change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.statistics.arrays import Floats, Ints
from audits.statistics.sequential import StratumCounts, detect_rise
from audits.statistics.trends import AWAY, Means, detect_shift

STEPS, GROUPS = 120, 8
Dealing = Callable[[np.random.Generator], Floats]
"""Groups of each stratum in each step, shape S x T."""


def _whole(order: Ints, strata: int) -> Floats:
    """Each step is of one stratum."""
    dealt: Floats = np.where(np.arange(strata)[:, None] == order[None], float(GROUPS), 0.0)
    return dealt


def _shares(dice: np.random.Generator, strata: int, even: float) -> Floats:
    """Each step has shares of its own."""
    return np.array([dice.multinomial(GROUPS, dice.dirichlet(np.full(strata, even))) for _ in range(STEPS)]).T * 1.0


DEALINGS: dict[str, Dealing] = {
    "by turns": lambda dice: _whole(np.arange(STEPS) % 2, 2),
    "by chance": lambda dice: _whole(dice.integers(0, 4, STEPS), 4),
    "in blocks": lambda dice: _whole(np.arange(STEPS) // int(dice.integers(5, 30)) % 3, 3),
    "one after the other": lambda dice: _whole(np.arange(STEPS) // 25, 5),
    "walking": lambda dice: _whole(np.cumsum(dice.integers(0, 2, STEPS)) // 8 % 6, 6),
    "shares": lambda dice: _shares(dice, 5, 0.3),
    "mixed": lambda dice: _shares(dice, 3, 50.0),
}


def _means(dice: np.random.Generator, groups: Floats, levels: Floats, spreads: Floats) -> Means:
    noise = dice.normal(0, 1, groups.shape) / np.sqrt(np.maximum(groups, 1.0))
    mean = np.where(groups > 0, levels[:, None] + spreads[:, None] * noise, np.nan)
    return Means(mean, groups, spreads**2, np.zeros(len(groups)))


def _counts(dice: np.random.Generator, groups: Floats, rates: Floats) -> StratumCounts:
    trials = groups * 8
    hits = dice.binomial(trials.astype(int), rates[:, None]).astype(np.float64)
    # groups whose members are independent
    square, cross, sizes = hits * (1 + (hits - 1) / np.maximum(groups, 1.0)), hits * 8, trials * 8
    return StratumCounts(np.stack([hits, trials, square, cross, sizes], axis=1))


@pytest.mark.parametrize("dealing", DEALINGS.values(), ids=DEALINGS)
def test_strata_that_differ_are_no_change_however_they_are_dealt(dealing: Dealing) -> None:
    """At a stated 20%: 40 runs; more than 15 alarms of them have a chance below 1%."""
    dice = np.random.default_rng(0)
    alarms = np.zeros(2)
    for _ in range(40):
        groups = dealing(dice)
        levels, spreads = dice.normal(0, 3, len(groups)), dice.uniform(0.2, 1.5, len(groups))
        alarms += (
            detect_shift(_means(dice, groups, levels, spreads), 0.2, 0.0, first=16) is not None,
            detect_rise(_counts(dice, groups, dice.choice([0.01, 0.1, 0.5], len(groups))), 0.2, first=16) is not None,
        )
    assert (alarms <= 15).all()


@pytest.mark.parametrize("name", ["by turns", "by chance", "shares", "mixed"])
def test_a_change_in_all_strata_or_in_one_is_found(name: str) -> None:
    dice = np.random.default_rng(1)
    late = np.arange(STEPS) >= 80
    for whole in (True, False):
        groups = DEALINGS[name](dice)
        strata = np.arange(len(groups)) if whole else np.array([0])
        means = _means(dice, groups, dice.normal(0, 3, len(groups)), np.full(len(groups), 0.5))
        means.mean[strata] += 3.0 * late
        found = detect_shift(means, 0.01, 0.0, first=16)
        assert found is not None
        assert 80 <= found.found <= 110
        counts = _counts(dice, groups, np.full(len(groups), 0.02))
        spoilt = _counts(dice, groups, np.full(len(groups), 0.3))
        counts.rows[strata] = np.where(late, spoilt.rows[strata], counts.rows[strata])
        risk = detect_rise(counts, 0.01, first=16)
        assert risk is not None
        assert 80 <= risk.found <= 90
        assert risk.after > risk.before + 0.05


@given(st.integers(0, 2**32 - 1), st.sampled_from(list(DEALINGS)), st.lists(st.floats(-50, 50), min_size=6, max_size=6))
@settings(max_examples=40, deadline=None)
def test_the_level_of_a_stratum_says_nothing(seed: int, name: str, offsets: list[float]) -> None:
    """Adding a constant to all of a stratum changes no decision."""
    dice = np.random.default_rng(seed)
    groups = DEALINGS[name](dice)
    means = _means(dice, groups, np.zeros(len(groups)), np.ones(len(groups)))
    means.mean[:, 70:] += dice.choice([0.0, 3.0])
    moved = Means(
        means.mean + np.array(offsets)[: len(groups), None], means.weight, means.variance, np.zeros(len(groups))
    )
    one, other = (detect_shift(each, 0.05, 0.1, first=16) for each in (means, moved))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert (one.found, one.last, one.since, one.stratum) == (other.found, other.last, other.since, other.stratum)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_a_stratum_that_joins_is_a_beginning(seed: int, rate: float) -> None:
    """What a new one is like at first is held against nothing, whatever it is like."""
    dice = np.random.default_rng(seed)
    groups = np.full((2, STEPS), GROUPS / 2)
    groups[1, :70] = 0.0
    counts = _counts(dice, groups, np.array([0.05, rate]))
    alone = StratumCounts(counts.rows[:1])
    found, usual = detect_rise(counts, 0.01, first=16), detect_rise(alone, 0.01, first=16)
    assert found is None or usual is not None or found.found >= 72


def test_a_stratum_that_was_long_away_begins_anew() -> None:
    dice = np.random.default_rng(2)
    for away, expected in ((AWAY - 6, True), (AWAY + 6, False)):
        order = np.concatenate([np.zeros(40, int), np.ones(away, int), np.zeros(10, int)])
        means = _means(dice, _whole(order, 2), np.zeros(2), np.full(2, 0.3))
        means.mean[0, 40 + away :] += 6.0
        assert (detect_shift(means, 0.01, 0.0, first=16) is not None) is expected
