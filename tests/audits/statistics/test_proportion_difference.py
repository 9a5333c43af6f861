"""The interval of a difference of two rates: the numbers of the paper, and laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from audits.statistics.proportion import Interval, difference, wilson

Count = tuple[int, int]

counts = st.integers(1, 2000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))
ROUNDING = 1e-12


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_examples_of_the_paper(first: Count, second: Count, low: float, high: float) -> None:
    """Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10, level 0.95."""
    assert difference(first, second) == pytest.approx((low, high), abs=5e-5)


def test_a_worked_number_at_another_level() -> None:
    """9 of 10 less 3 of 10 at level 0.9, from Wilson's ends: z = 1.644854, z² = 2.705543."""
    z, spread = 1.6448536, 2.7055435 / 10
    ends = {}
    for rate in (0.9, 0.3):
        half = z * math.sqrt(rate * (1 - rate) / 10 + spread / 40)
        ends[rate] = (rate + spread / 2 - half) / (1 + spread), (rate + spread / 2 + half) / (1 + spread)
    low = 0.6 - math.sqrt((0.9 - ends[0.9][0]) ** 2 + (ends[0.3][1] - 0.3) ** 2)
    high = 0.6 + math.sqrt((ends[0.9][1] - 0.9) ** 2 + (0.3 - ends[0.3][0]) ** 2)
    assert difference((9, 10), (3, 10), 0.9) == pytest.approx((low, high), abs=1e-6)
    assert (low, high) == pytest.approx((0.2421, 0.7896), abs=5e-5)


@given(counts, counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_exchanging_both_samples_turns_the_sign(first: Count, second: Count, level: float) -> None:
    there, back = difference(first, second, level), difference(second, first, level)
    assert back == pytest.approx((-there.high, -there.low), abs=ROUNDING)


@given(counts, counts)
def test_counting_what_is_no_error_turns_the_sign(first: Count, second: Count) -> None:
    (errors, trials), (others, of) = first, second
    there, turned = difference(first, second), difference((trials - errors, trials), (of - others, of))
    assert turned == pytest.approx((-there.high, -there.low), abs=1e-9)


@given(counts, counts)
def test_it_holds_the_difference_and_no_impossible_one(first: Count, second: Count) -> None:
    low, high = difference(first, second)
    assert -1 - ROUNDING <= low <= first[0] / first[1] - second[0] / second[1] <= high <= 1 + ROUNDING


@given(counts, counts)
def test_a_higher_level_is_wider(first: Count, second: Count) -> None:
    assert difference(first, second, 0.99).width > difference(first, second, 0.9).width


@given(counts, counts)
def test_it_is_wider_than_the_wider_and_narrower_than_both_together(first: Count, second: Count) -> None:
    one, other = wilson(*first), wilson(*second)
    width = difference(first, second).width
    assert max(one.width, other.width) - ROUNDING <= width <= one.width + other.width + ROUNDING


@given(counts)
def test_against_a_sample_beyond_counting_it_is_the_interval_of_the_other(count: Count) -> None:
    """As the second one grows its rate is known, and what is left is Wilson's interval of the first."""
    errors, trials = count
    assume(0 < errors < trials)
    low, high = difference(count, (1e12, 4e12))
    assert (low + 0.25, high + 0.25) == pytest.approx(tuple(wilson(errors, trials)), abs=1e-5)


@pytest.mark.parametrize(("first", "second"), [((0, 0), (1, 2)), ((1, 2), (0, 0)), ((0, 0), (0, 0))])
def test_where_one_has_no_items_nothing_is_known(first: Count, second: Count) -> None:
    assert difference(first, second) == Interval(-1.0, 1.0)


@pytest.mark.parametrize(("first", "second"), [((3, 2), (1, 2)), ((1, 2), (-1, 2))])
def test_impossible_counts_of_either_are_refused(first: Count, second: Count) -> None:
    with pytest.raises(ValueError, match="0 <= errors <= trials"):
        difference(first, second)
