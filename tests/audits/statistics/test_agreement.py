"""Agreement of verifiers and of annotators; flips between versions."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.statistics.agreement import agreement, cohen_kappa, krippendorff_alpha, pairwise
from audits.statistics.mcnemar import flips, mcnemar

N = None
# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", part C: four observers, twelve units
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
UNITS = np.array(OBSERVERS, dtype=float).T

verdict = st.sampled_from([True, False, None])


def test_two_verifiers_by_hand() -> None:
    found = agreement([1, 1, 0, 0, None, 1], [1, 0, 0, 1, 1, None])
    assert found == (1, 1, 1, 1)
    assert (found.items, found.share, found.kappa) == (4, 0.5, 0.0)
    assert pairwise({"a": [1, 0], "b": [1, 1], "c": [0, 0]})["a", "c"].share == 0.5


def test_nothing_in_common_is_undefined() -> None:
    found = agreement([1, None], [None, 0])
    assert (found.items, found.share, found.kappa) == (0, None, None)
    assert agreement([1, 1], [1, 1]).kappa is None


def test_kappa_by_hand() -> None:
    assert cohen_kappa([[20, 5], [10, 15]]) == pytest.approx(0.4)
    with pytest.raises(ValueError, match="square"):
        cohen_kappa([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(("metric", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(metric: str, expected: float) -> None:
    assert krippendorff_alpha(UNITS, metric) == pytest.approx(expected, abs=6e-4)  # type: ignore[arg-type]


def test_alpha_by_the_definition_over_all_pairs() -> None:
    generator = np.random.default_rng(0)
    ratings = generator.integers(0, 4, size=(30, 3)).astype(float)
    ratings[generator.random(ratings.shape) < 0.3] = np.nan
    units = [row[~np.isnan(row)] for row in ratings]
    units = [row for row in units if len(row) >= 2]
    values = np.concatenate(units)
    observed = sum(2 * sum((a - b) ** 2 for a, b in combinations(row, 2)) / (len(row) - 1) for row in units) / len(
        values
    )
    chance = sum(2 * (a - b) ** 2 for a, b in combinations(values, 2)) / (len(values) * (len(values) - 1))
    assert krippendorff_alpha(ratings, "interval") == pytest.approx(1 - observed / chance)


def test_alpha_is_undefined_without_variation_or_overlap() -> None:
    assert krippendorff_alpha([[1, 1], [1, 1]]) is None
    assert krippendorff_alpha([[1, N], [N, 2]]) is None
    assert krippendorff_alpha([[1, 1], [2, 2]]) == 1.0
    with pytest.raises(ValueError, match="items x raters"):
        krippendorff_alpha([1, 2])


@given(st.lists(st.tuples(verdict, verdict), max_size=40))
def test_agreement_is_symmetric(rows: list[tuple[bool | None, bool | None]]) -> None:
    one, other = [a for a, _ in rows], [b for _, b in rows]
    assert agreement(one, other).kappa == agreement(other, one).kappa
    assert flips(one, other).exact == flips(other, one).exact


def test_flips_by_hand() -> None:
    found = flips([0, 0, 0, 1, 1, None], [1, 1, 0, 0, 1, 1])
    assert (found.gained, found.lost, found.items) == (2, 1, 5)
    assert found.exact == 1.0


@pytest.mark.parametrize(("gained", "lost"), [(1, 9), (9, 1), (4, 4), (0, 6), (12, 5)])
def test_mcnemar_by_the_binomial(gained: int, lost: int) -> None:
    total, fewer = gained + lost, min(gained, lost)
    tail = sum(comb(total, count) for count in range(fewer + 1)) / 2**total
    exact, mid = mcnemar(gained, lost)
    assert exact == pytest.approx(min(2 * tail, 1))
    assert mid == pytest.approx(min(2 * tail - comb(total, fewer) / 2**total, 1))


def test_no_flips_are_no_evidence() -> None:
    assert mcnemar(0, 0) == (1.0, 1.0)
    with pytest.raises(ValueError):
        mcnemar(-1, 2)
