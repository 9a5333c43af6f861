"""Rates of drawn labels: exact where all is known, honest where little is, by records, strata and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame, estimate_label_chance, joint_chance, strata
from audits.statistics.proportion import EVERYTHING, wilson

NOBODY = float("nan")


def frame(
    accepted: Sequence[float],
    right: Sequence[float],
    chance: Sequence[float] | float = 1.0,
    records: Sequence[float] | None = None,
) -> Frame:
    size = len(accepted)
    return Frame(
        accepted=np.array(accepted, dtype=np.float64),
        right=np.array(right, dtype=np.float64),
        records=np.ones(size) if records is None else np.array(records, dtype=np.float64),
        group=np.arange(size),
        chance=np.full(size, chance, dtype=np.float64),
        stratum=np.zeros(size, dtype=np.int64),
    )


def test_where_all_is_labelled_rates_are_those_of_the_records() -> None:
    found = DrawnRates(frame([1, 1, 0, 0, NOBODY], [1, 0, 0, 1, 1], records=[1, 3, 1, 1, 2]))
    assert found.false_positive().rate == pytest.approx(3 / 4)
    assert found.false_negative().rate == pytest.approx(1 / 2)
    assert found.accuracy().rate == pytest.approx(2 / 6)
    assert found.precision().rate == pytest.approx(1 / 4)
    assert found.recall().rate == pytest.approx(1 / 2)
    assert found.f1().rate == pytest.approx(2 / 6)
    assert found.coverage().rate == pytest.approx(6 / 8)
    assert found.right().rate == pytest.approx(2 / 6)


def test_no_metric_has_a_width_of_zero_by_accident() -> None:
    size = 50
    found = DrawnRates(frame([1.0, 0.0] * size, [1.0, 0.0] * size))
    for one in (
        found.false_positive(),
        found.false_negative(),
        found.accuracy(),
        found.precision(),
        found.recall(),
        found.f1(),
    ):
        assert one.rate in (0, 1)
        assert 0.03 < one.interval.width < 0.2


def test_a_text_counts_as_often_as_it_has_records() -> None:
    """After a collapse eight in ten records are one hacked text, which is one item of a draw."""
    found = DrawnRates(frame([1] + [0] * 20, [0] + [0] * 20, records=[80.0] + [1.0] * 20))
    assert found.false_positive().rate == pytest.approx(0.8)


def test_the_rest_in_which_no_error_was_drawn_has_an_upper_end() -> None:
    """Twenty labels stand for a thousand accepted responses: up to 17% of these may be wrong."""
    accepted = [1.0] * 1000 + [0.0] * 1000
    right = [1.0] * 20 + [NOBODY] * 980 + [0.0] * 1000
    found = DrawnRates(frame(accepted, right, [0.02] * 1000 + [1.0] * 1000)).false_positive()
    assert found.rate == 0
    assert 0.12 < found.interval.high < 0.17


def test_labels_of_another_verifiers_stratum_say_nothing_of_this_one() -> None:
    accepted, right = [1.0] * 200 + [0.0] * 200, [0.0] * 10 + [NOBODY] * 90 + [1.0] * 50 + [NOBODY] * 50 + [0.0] * 200
    one = frame(accepted, right, [0.1] * 100 + [0.5] * 100 + [1.0] * 200)
    alike = DrawnRates(replace(one, chance=np.where(one.chance < 1, 0.3, 1.0))).false_positive()
    told = DrawnRates(replace(one, chance=alike_chance(one), stratum=np.repeat([0, 1, 2, 2], 100))).false_positive()
    assert told.rate == pytest.approx(100 / 300)
    assert alike.rate == pytest.approx(200 * 10 / 60 / (200 + 200 * 10 / 60))


def alike_chance(one: Frame) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.where(one.chance < 1, 0.3, 1.0)


def test_a_stratum_without_any_label_is_not_known() -> None:
    accepted, right = [1.0] * 100 + [0.0] * 100, [NOBODY] * 100 + [0.0] * 100
    found = DrawnRates(frame(accepted, right, [0.001] * 100 + [1.0] * 100)).false_positive()
    assert found.interval.high >= 0.5 > found.interval.low


def test_errors_that_a_group_shares_widen_the_interval() -> None:
    wrong = np.repeat([1.0, 0.0, 0.0, 0.0, 0.0], 40)
    alone = frame(wrong.tolist(), [0.0] * 200)
    shared = replace(alone, group=np.repeat(np.arange(25), 8))
    one, other = (DrawnRates(each).false_positive() for each in (alone, shared))
    assert one.rate == other.rate
    assert other.interval.width > 1.8 * one.interval.width


def test_covers_the_truth_where_disagreement_was_sampled_more_often() -> None:
    """A plain interval of the labelled items never does. The long form is benchmarks.coverage."""
    chance, covered, plain = np.random.default_rng(9), 0, 0
    for _ in range(200):
        right, number = chance.random(4000) < 0.4, np.arange(4000)
        accepted = np.where(right, chance.random(4000) < 0.95, chance.random(4000) < 0.03)
        differ = np.where(accepted != right, chance.random(4000) < 0.8, chance.random(4000) < 0.05)
        drawn_with = np.where(differ, 0.8, 0.05)
        told = np.where(chance.random(4000) < drawn_with, right, NOBODY)
        one = Frame(accepted.astype(np.float64), told, np.ones(4000), number, drawn_with, np.zeros_like(number))
        low, high = DrawnRates(one).false_positive().interval
        covered += low <= 0.03 <= high
        wrong = told == 0
        alone = wilson(int((accepted & wrong).sum()), int(wrong.sum()))
        plain += alone.low <= 0.03 <= alone.high
    assert covered >= 0.93 * 200
    assert plain <= 10


def test_the_upper_end_holds_the_rate_with_few_groups_that_share_errors() -> None:
    """What a gate passes by: 20 groups of eight whose errors correlate by a half."""
    chance, groups, below = np.random.default_rng(1), np.repeat(np.arange(20), 8), 0
    for _ in range(300):
        errors = chance.random(160) < np.repeat(chance.beta(0.1, 0.9, 20), 8)
        probability = np.where(errors, 0.9, 0.3)
        told = np.where(chance.random(160) < probability, 0.0, NOBODY)
        one = Frame(errors.astype(np.float64), told, np.ones(160), groups, probability, np.zeros_like(groups))
        below += DrawnRates(one).false_positive().interval.high < 0.1
    assert below <= 0.035 * 300


def test_a_text_that_is_most_of_the_run_is_one_response_of_the_verifier_at_large() -> None:
    """Nine in ten wrong records are one text, which was rejected: of another run it may be accepted."""
    accepted, right, records = [0.0] + [1.0] * 5 + [0.0] * 95, [0.0] * 101, [900.0] + [1.0] * 100
    one = frame(accepted, right, records=records)
    assert DrawnRates(one).false_positive().interval.high > 0.5
    assert DrawnRates(one, at_large=False).false_positive().interval == pytest.approx((0.005, 0.005))


@pytest.mark.parametrize("of_groups", [False, True])
@pytest.mark.parametrize("rate", [0.02, 0.1])
def test_covers_where_records_or_groups_have_a_heavy_tail(of_groups: bool, rate: float) -> None:
    """A Pareto tail of 0.8 has no mean: a few texts, or a few groups, are most of every run."""
    chance, held = np.random.default_rng(3), 0
    for _ in range(100):
        sizes = np.minimum(np.floor(chance.pareto(0.8, 300) + 1), 2_000)
        group = np.repeat(np.arange(300), sizes.astype(np.int64)) if of_groups else np.arange(300)
        errors = chance.random(len(group)) < chance.beta(rate, 1 - rate, 300)[group]
        one = frame(errors.tolist(), [0.0] * len(group), records=None if of_groups else sizes.tolist())
        low, high = DrawnRates(replace(one, group=group)).false_positive().interval
        held += low <= rate <= high
    assert held >= 93


def test_without_a_label_there_is_no_rate() -> None:
    found = DrawnRates(frame([1.0, 0.0], [NOBODY, NOBODY], 0.5))
    assert (found.false_positive().rate, found.false_positive().interval) == (None, EVERYTHING)
    assert DrawnRates(frame([], [])).right().rate is None


def test_probabilities_that_only_labels_have_are_weighed_by() -> None:
    """An upload knows those of its labels alone: the sizes of the bands follow from them."""
    accepted, right = [1.0] * 30 + [0.0] * 30, [0.0] * 8 + [1.0] * 2 + [NOBODY] * 20 + [0.0] * 30
    chance = [0.8] * 8 + [0.1] * 2 + [NOBODY] * 20 + [1.0] * 30
    one = frame(accepted, right, chance)
    share = 8 / 0.8 / (8 / 0.8 + 2 / 0.1)
    found = DrawnRates(one).false_positive()
    assert found.rate == pytest.approx(30 * share / (30 * share + 30))
    assert strata(one).unsized[1] > 0


def test_two_draws_take_a_unit_with_their_joint_probability() -> None:
    one, other = np.array([0.8, 0.02]), np.array([0.5, 0.08])
    assert joint_chance(one, other, same_seed=True).tolist() == [0.8, 0.08]
    assert joint_chance(one, other, same_seed=False) == pytest.approx([0.9, 0.0984])


def test_what_is_drawn_and_not_yet_labelled_lowers_the_chance_alike() -> None:
    chance, drawn = np.array([0.5, 0.5, 0.5, 0.1]), np.array([True, True, False, True])
    assert estimate_label_chance(chance, drawn, np.array([True, False, False, False])).tolist() == [
        0.25,
        0.25,
        0.25,
        0.1,
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"records": np.array([0.0, 1.0])}, "records must be above 0"),
        ({"chance": np.array([0.0, 1.0])}, "chance must be above 0"),
        ({"group": np.array([1])}, "one entry per item"),
    ],
)
def test_a_frame_that_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(frame([1.0, 0.0], [1.0, 0.0]), **change)  # type: ignore[arg-type]
