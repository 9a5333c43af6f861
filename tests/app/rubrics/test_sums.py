"""Correlations of criteria from sums, held against numpy on the whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.rubrics.sums import Sums

RANDOM = np.random.default_rng(7)


def summed(rows: list[dict[str, float]], size: int = 7) -> Sums:
    sums = Sums()
    for start in range(0, len(rows), size):
        sums.add(rows[start : start + size])
    return sums


def test_sums_over_pages_are_pearson_s_correlations() -> None:
    base = RANDOM.random((200, 3))
    base[:, 1] = np.round((base[:, 0] + base[:, 1]) * 2) / 2
    rows = [dict(zip("abc", map(float, row), strict=True)) for row in base]
    wanted = np.asarray(np.corrcoef(base.T))
    found = {(pair.first, pair.second): pair.correlation for pair in summed(rows).pairs()}
    assert found == pytest.approx({("a", "b"): wanted[0, 1], ("a", "c"): wanted[0, 2], ("b", "c"): wanted[1, 2]})


def test_of_yes_and_no_it_is_phi() -> None:
    both, first, second, none = 30, 10, 5, 55
    rows = [
        {"a": a, "b": b}
        for a, b, n in ((1.0, 1.0, both), (1.0, 0.0, first), (0.0, 1.0, second), (0.0, 0.0, none))
        for _ in range(n)
    ]
    phi = (both * none - first * second) / math.sqrt(40 * 60 * 35 * 65)
    [pair] = summed(rows).pairs()
    assert (pair.n, pair.flag) == (100, None)
    assert pair.correlation == pytest.approx(phi)


def test_a_verdict_without_a_criterion_counts_for_the_others_alone() -> None:
    rows = [{"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 0.0}, {"a": 1.0}, {"b": 0.5, "c": 1.0}]
    found = summed(rows, 2)
    assert [(one.id, one.n) for one in found.criteria()] == [("a", 3), ("b", 3), ("c", 1)]
    [ab, bc] = found.pairs()
    assert ab.n == 2
    assert ab.correlation == pytest.approx(1.0)
    assert (bc.n, bc.correlation) == (1, None)


def test_what_never_changes_has_no_correlation_and_a_flag() -> None:
    rows = [{"always": 1.0, "never": 0.0, "half": 0.5, "some": float(n % 2)} for n in range(10)]
    found = summed(rows)
    assert [one.flag for one in found.criteria()] == ["always_met", "never_met", None, None]
    assert {pair.correlation for pair in found.pairs()} == {None}
    assert [one.flag for one in summed(rows[:9]).criteria()] == [None] * 4


def test_criteria_that_say_the_same_or_the_opposite_are_flagged_strongest_first() -> None:
    rows = [{"a": x, "b": x, "c": 1 - x, "d": float(n % 3 == 0)} for n in range(30) for x in [float(n % 2)]]
    flags = {(pair.first, pair.second): pair.flag for pair in summed(rows).pairs()}
    assert [*flags][:3] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [flags["a", "b"], flags["a", "c"], flags["b", "c"], flags["a", "d"]] == [
        "alike",
        "opposite",
        "opposite",
        None,
    ]


def test_constants_that_no_binary_number_is_do_not_vary() -> None:
    rows = [{"a": 0.1, "b": float(n % 2)} for n in range(10_000)]
    [pair] = summed(rows, 1000).pairs()
    assert pair.correlation is None
