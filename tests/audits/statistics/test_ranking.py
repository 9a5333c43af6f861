"""Distance and rank agreement of two reward functions, firmness of the best response, correlation with gold."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.correlation import Correlation, correlation
from audits.statistics.distance import reward_distance
from audits.statistics.proportion import Interval
from audits.statistics.ranking import rank_agreement, weight_jitter

scores = st.lists(st.integers(-50, 50), min_size=4, max_size=4).filter(lambda values: len(set(values[:2])) == 2)


def test_distance_by_hand() -> None:
    # centred (1, -1, 0, 0) and (1, -1, 1, -1), cosine 1/sqrt 2; the distance is sqrt((1 - cosine) / 2)
    found = reward_distance([3, 1, 5, 5], [1, -1, 7, 5], ["p", "p", "q", "q"])
    assert found == pytest.approx(math.sqrt((1 - 1 / math.sqrt(2)) / 2))


@given(scores, st.floats(0.1, 10), st.floats(-100, 100), st.floats(-100, 100))
def test_shift_by_prompt_and_scale_do_not_matter(values: list[int], scale: float, shift: float, other: float) -> None:
    groups = [0, 0, 1, 1]
    moved = [scale * value + offset for value, offset in zip(values, [shift, shift, other, other], strict=True)]
    assert reward_distance(values, moved, groups) == pytest.approx(0, abs=1e-6)
    assert reward_distance(values, [-value for value in moved], groups) == pytest.approx(1, abs=1e-6)


def test_a_reward_that_prefers_nothing_has_no_distance() -> None:
    assert reward_distance([0.1, 0.1, 0.7], [1, 2, 3], [0, 0, 1]) is None
    assert reward_distance([], [], []) is None
    assert reward_distance([1e300, -1e300], [1, 0], [0, 0]) == pytest.approx(0)
    with pytest.raises(ValueError, match="first holds 1 missing"):
        reward_distance([math.nan, 1], [1, 2], [0, 0])


def test_tau_per_group_by_hand() -> None:
    found = rank_agreement([1, 2, 3, 1, 2, 5, 5, 9], [1, 3, 2, 2, 1, 1, 2, 0], list("aaabbccd"))
    assert found.taus[:2] == pytest.approx([1 / 3, -1])
    assert np.isnan(found.taus[2:]).all()
    assert found.mean == pytest.approx(-1 / 3)
    assert found.weights[:2] == pytest.approx([2 / 3, 0])
    assert rank_agreement([1, 1], [1, 2], [0, 0]).mean is None


@pytest.mark.parametrize("size", [1, 2, 7, 64, 65, 100])
def test_tau_is_scipys_for_every_size_of_group(size: int) -> None:
    chance = np.random.default_rng(size)
    groups = chance.permutation(np.repeat(np.arange(30), size))
    one, other = (chance.integers(0, 4, len(groups)).astype(np.float64) for _ in range(2))
    expected = [
        scipy.stats.kendalltau(one[groups == name], other[groups == name]).statistic if size > 1 else np.nan
        for name in range(30)
    ]
    assert rank_agreement(one, other, groups).taus == pytest.approx(expected, nan_ok=True)


def test_only_close_calls_flip_under_jitter() -> None:
    # group a is decided whatever the weights, group b by less than a tenth
    components = [[1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.02]]
    found = weight_jitter(components, [1.0, 1.0], list("aabb"), draws=2000)
    assert found.groups == 2
    assert found.changed == 0.5
    # P((1 + u) > 1.02 (1 + v)) for u, v uniform in +-0.1, a little under a half; one group of two
    assert found.flips is not None
    assert 0.18 < found.flips < 0.25


def test_jitter_without_rivals_says_nothing() -> None:
    assert weight_jitter([[1.0], [2.0]], [1.0], ["a", "b"]) == (None, None, 0)
    with pytest.raises(ValueError, match="2 weights"):
        weight_jitter([[1.0], [2.0]], [1.0, 2.0], ["a", "a"])
    with pytest.raises(ValueError, match="spread"):
        weight_jitter([[1.0], [2.0]], [1.0], ["a", "a"], spread=0)


def test_correlation_is_pearsons_and_its_interval_covers() -> None:
    generator = np.random.default_rng(0)
    held = 0
    for repeat in range(200):
        gold = generator.normal(size=150)
        rewards = 0.6 * gold + 0.8 * generator.normal(size=150)
        found = correlation(rewards, gold, np.arange(150), replicates=500, seed=repeat)
        assert found.value == pytest.approx(float(np.corrcoef(rewards, gold)[0, 1]))
        assert found.interval is not None
        held += found.interval.low <= 0.6 <= found.interval.high
    assert held >= 180


def test_an_alarm_needs_intervals_apart() -> None:
    base = Correlation(0.6, Interval(0.5, 0.7))
    assert Correlation(0.3, Interval(0.2, 0.4)).is_below(base)
    assert not Correlation(0.4, Interval(0.3, 0.55)).is_below(base)
    assert not Correlation(None, None).is_below(base)


def test_a_constant_reward_correlates_with_nothing() -> None:
    assert correlation([1, 1, 1], [0, 1, 0], [0, 1, 2]) == (None, None)
    assert correlation([], [], []) == (None, None)
