"""Intervals of paired seeds, and the words of a criterion."""

from __future__ import annotations

import math

import pytest

from benchmarks.science.effect import above, below
from benchmarks.science.page import PAGE, filled
from benchmarks.science.paired import Interval, difference, interval, ratio


def test_the_interval_is_students() -> None:
    """Five values, mean 3 and standard deviation sqrt(2.5): t(.975, 4) = 2.776445."""
    found = interval([1, 2, 3, 4, 5])
    half = 2.776445 * math.sqrt(2.5) / math.sqrt(5)
    assert (found.mean, found.seeds) == (3, 5)
    assert found.spread == pytest.approx(math.sqrt(2.5))
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half), abs=1e-6)


def test_one_seed_has_no_interval() -> None:
    assert interval([0.5]) == Interval(0.5, None, None, None, 1)


@pytest.mark.parametrize("values", [[], [0.1, math.nan], [math.inf]])
def test_what_is_no_number_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="interval"):
        interval(values)


def test_pairs_take_out_what_the_seeds_share() -> None:
    """The seeds differ by much more than the arms do."""
    shared = [0.1, 0.5, 0.9, 0.3]
    found = difference([value + 0.05 for value in shared], shared)
    assert (found.low, found.high) == pytest.approx((0.05, 0.05))
    assert ratio([0.9 * value for value in shared], shared).mean == pytest.approx(0.9)
    with pytest.raises(ValueError, match="ratio to 0"):
        ratio([1.0], [0.0])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        difference([1.0], shared)


@pytest.mark.parametrize(
    ("ends", "up", "down"),
    [
        ((0.1, 0.3), "reproduced", "not reproduced"),
        ((-0.3, -0.1), "not reproduced", "reproduced"),
        ((-0.1, 0.3), "null", "null"),
    ],
)
def test_the_whole_interval_decides(ends: tuple[float, float], up: str, down: str) -> None:
    found = Interval(sum(ends) / 2, 0.1, *ends, 5)
    assert (above("it", found).word, below("it", found).word) == (up, down)
    assert above("it", found, bar=0.5).word == "not reproduced"


def test_a_single_seed_says_nothing() -> None:
    assert above("it", interval([9.0])).word == "one seed"


def test_the_page_shows_the_published_findings_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
