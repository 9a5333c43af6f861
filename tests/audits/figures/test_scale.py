"""Axes: round ticks within what is shown, labels that differ, and no number that breaks them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.figures.scale import Scale, domain, tick_labels, ticks


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.0, 0.034, ["0", "0.01", "0.02", "0.03"]),
        (0.0, 98.0, ["0", "20", "40", "60", "80"]),
        (-0.3, 0.3, ["-0.2", "0", "0.2"]),
        (0.0, 4300.0, ["0", "1,000", "2,000", "3,000", "4,000"]),
        (0.0, 3e9, ["0", "1e+09", "2e+09", "3e+09"]),
    ],
)
def test_ticks_are_round_and_short(low: float, high: float, expected: list[str]) -> None:
    assert tick_labels(ticks(low, high)) == expected


@pytest.mark.parametrize(
    ("values", "from_zero", "expected"),
    [
        ([], False, (0.0, 1.0)),
        ([0.2, 0.3], False, (0.2, 0.3)),
        ([0.2, 0.3], True, (0.0, 0.3)),
        ([0.7], True, (0.0, 1.0)),
        ([-1.0, 2.0], True, (-1.0, 2.0)),
        ([0.0], True, (-0.5, 0.5)),
        ([4.0], False, (2.0, 6.0)),
    ],
)
def test_what_an_axis_shows(values: list[float], from_zero: bool, expected: tuple[float, float]) -> None:
    assert domain(values, from_zero=from_zero) == expected


def test_values_beyond_the_axis_lie_at_its_end() -> None:
    scale = Scale(0.0, 10.0, 100.0, 200.0)
    assert [scale.place(value) for value in (-5.0, 0.0, 5.0, 10.0, 99.0)] == [100.0, 100.0, 150.0, 200.0, 200.0]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5), st.booleans(), st.integers(3, 8))
def test_every_axis_has_ticks_within_it(values: list[float], from_zero: bool, wanted: int) -> None:
    low, high = domain(values, from_zero=from_zero)
    assert low < high
    found = ticks(low, high, wanted)
    assert len(found) <= 14
    slack = 1e-6 * (high - low)
    assert all(low - slack <= value <= high + slack for value in found)
    assert len(tick_labels(found)) == len(found)
