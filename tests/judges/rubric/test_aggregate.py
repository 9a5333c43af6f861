"""How scores of criteria become one, in each weight mode."""

from __future__ import annotations

import pytest

from judges.rubric.aggregate import can_spare, lacks, total, worst
from trueward.rubrics import WEIGHTS, Rubric


def of(mode: str, *weights: float) -> Rubric:
    criteria = [{"text": "x", "weight": weight} for weight in weights]
    return Rubric.of({"weight_mode": mode, "criteria": criteria})  # type: ignore[dict-item]


def scores(*given: float) -> dict[str, float]:
    return {f"c{place}": score for place, score in enumerate(given, start=1)}


def test_categories_stand_for_weights_and_an_avoided_pitfall_counts() -> None:
    named = [{"text": "x", "category": name} for name in ("essential", "important", "pitfall")]
    rubric = Rubric.of({"criteria": named})  # type: ignore[dict-item]
    assert total(rubric, scores(1, 0, 1)).score == pytest.approx(0.730769, abs=1e-6)
    assert dict(WEIGHTS) == {"essential": 1.0, "important": 0.7, "optional": 0.3, "pitfall": 0.9}


def test_signed_weights_over_the_absolute_ones() -> None:
    assert total(of("signed_abs_norm", 1, -0.5), scores(2 / 2, 1 / 2)).score == pytest.approx(0.5)
    assert total(of("signed_abs_norm", 1, -3), scores(0, 1)).score == pytest.approx(-0.75)


def test_signed_weights_over_the_positive_ones_clipped() -> None:
    rubric = of("signed_pos_norm_clip", 5, 5, -4)
    assert total(rubric, scores(1, 0, 1)) == pytest.approx((0.1, 0.1))
    assert total(rubric, scores(0, 0, 1)) == pytest.approx((0.0, -0.4))
    assert total(rubric, scores(1, 1, 0)) == pytest.approx((1.0, 1.0))


def test_the_modes_give_different_numbers() -> None:
    found = {
        mode: total(of(mode, 1, 1, -1), scores(1, 0, 1)).score for mode in ("signed_abs_norm", "signed_pos_norm_clip")
    }
    assert found == {"signed_abs_norm": 0.0, "signed_pos_norm_clip": 0.0}
    found = {
        mode: total(of(mode, 1, 1, -1), scores(1, 1, 1)).score for mode in ("signed_abs_norm", "signed_pos_norm_clip")
    }
    assert found == pytest.approx({"signed_abs_norm": 1 / 3, "signed_pos_norm_clip": 1 / 2})


def test_what_is_left_out_is_left_out_of_the_divisor() -> None:
    assert total(of("positive", 3, 1, 1), {"c1": 1, "c2": 0}).score == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("mode", "weights", "missing", "enough"),
    [
        ("positive", (4, 1), {"c2"}, True),
        ("positive", (0.8, 0.1, 0.1), {"c2", "c3"}, True),
        ("positive", (3.9, 1), {"c2"}, False),
        ("signed_abs_norm", (1, -0.25), {"c2"}, True),
        ("signed_pos_norm_clip", (0.1, -1), {"c1"}, False),
        ("signed_pos_norm_clip", (1, -0.3), {"c2"}, False),
    ],
)
def test_a_fifth_of_what_is_divided_by_may_be_missing(
    mode: str, weights: tuple[float, ...], missing: set[str], enough: bool
) -> None:
    assert can_spare(of(mode, *weights), missing) is enough


def test_the_worst_of_a_fault_is_that_it_is_there() -> None:
    virtue, fault = of("signed_abs_norm", 1, -1).criteria
    assert (worst(virtue), worst(fault)) == (0.0, 1.0)
    assert [lacks(one, score) for one in (virtue, fault) for score in (0.0, 0.5, 1.0)] == [
        True,
        True,
        False,
        False,
        True,
        True,
    ]
