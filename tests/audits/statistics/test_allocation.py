"""Batches of labels: each contains those before it, goes where it narrows the interval, and its looks add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audits.statistics.allocation import Cells, Target, level_of, pilot, top_up
from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame
from benchmarks.covering.planned import planned, pursued
from benchmarks.covering.world import Setting, run_of

SIZES = np.array([1_800.0, 100.0, 100.0, 2_000.0])
CELLS = Cells(
    error=np.array([0.0, 0.0, 1.0, 1.0]),
    units=SIZES,
    records=SIZES,
    squares=SIZES,
    labels=np.zeros(4),
    members=np.zeros(4),
)
EXPECTED = np.array([0.8, 0.5, 0.5, 0.03])
AUDITS = 40


def labelled(chance: np.ndarray, share: np.ndarray) -> Cells:
    labels = np.round(chance * SIZES)
    return replace(CELLS, labels=labels, members=np.round(labels * share))


def test_what_all_looks_may_be_wrong_together_is_the_level() -> None:
    for level in (0.9, 0.95):
        assert sum(1 - level_of(look, level) for look in range(1, 60)) == pytest.approx(1 - level)
        assert level_of(2, level) > level_of(1, level) > level


def test_the_first_batch_goes_mostly_to_what_was_accepted_and_leaves_no_cell_out() -> None:
    size = pilot(CELLS, EXPECTED, 300) * SIZES
    assert size.argmax() == 3
    assert size.min() >= 10
    assert 300 <= size.sum() <= 340
    few = np.array([3.0, 1, 2, 4])
    tiny = replace(CELLS, units=few, records=few, squares=few)
    assert pilot(tiny, EXPECTED, 300).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("target", [Target(width=0.02), Target(limit=0.02), Target(limit=0.2)])
def test_a_batch_contains_the_one_before_and_is_larger(target: Target) -> None:
    before = pilot(CELLS, EXPECTED, 300)
    after = top_up(labelled(before, np.array([0.8, 0.5, 0.4, 0.01])), before, target, 0.975)
    assert (after >= before).all()
    assert (after <= 1).all()
    assert 1.1 < (after * SIZES).sum() / (before * SIZES).sum() < 2.6


def test_a_batch_follows_the_shares_that_were_found() -> None:
    before = pilot(CELLS, EXPECTED, 300)

    def of_accepted(share: float) -> float:
        found = top_up(labelled(before, np.array([0.8, 0.5, 0.4, share])), before, Target(width=0.02), 0.975)
        return float(found[3] * SIZES[3])

    assert of_accepted(0.1) > of_accepted(0.0)


def test_responses_that_stand_for_many_records_say_less_each() -> None:
    before = pilot(CELLS, EXPECTED, 300)
    found = labelled(before, np.array([0.8, 0.5, 0.4, 0.02]))
    alike = top_up(found, before, Target(width=0.06), 0.975)
    uneven = top_up(replace(found, squares=4 * SIZES), before, Target(width=0.06), 0.975)
    assert (uneven * SIZES).sum() > 1.2 * (alike * SIZES).sum()


def test_when_all_is_drawn_nothing_more_is() -> None:
    everything = np.ones(4)
    assert top_up(labelled(everything, EXPECTED), everything, Target(width=0.001), 0.99).tolist() == [1, 1, 1, 1]


def test_targets_are_reached_by_a_width_or_on_one_side_of_a_limit() -> None:
    assert Target(width=0.02).is_reached(0.01, 0.03)
    assert not Target(width=0.02).is_reached(0.01, 0.031)
    assert Target(limit=0.02).is_reached(0.01, 0.019)
    assert Target(limit=0.02).is_reached(0.021, 0.4)
    assert not Target(limit=0.02).is_reached(0.01, 0.02)


def test_the_rate_of_the_records_themselves_is_narrower_and_exact_where_all_is_labelled() -> None:
    right = np.repeat([1.0, 0.0], 500)
    frame = Frame(
        accepted=np.where(np.arange(1_000) < 520, 1.0, 0.0),
        right=right,
        records=np.ones(1_000),
        group=np.arange(1_000),
        chance=np.ones(1_000),
        stratum=np.zeros(1_000, dtype=np.int64),
    )
    own = DrawnRates(frame, at_large=False).false_positive()
    assert (own.rate, *own.interval) == pytest.approx((0.04, 0.04, 0.04))
    at_large = DrawnRates(frame).false_positive().interval
    assert at_large.low < 0.03
    assert at_large.high > 0.05


def test_stopping_when_the_target_is_reached_keeps_the_intervals_level() -> None:
    """The long form is benchmarks.coverage. Each interval ends an audit that went on until it was narrow enough."""
    for setting, target in ((Setting(see=0.5), Target(width=0.03)), (Setting(see=0.5), Target(limit=0.02))):
        found = planned(setting, target, AUDITS, 7)
        assert found.covers >= 0.93 - 3 * np.sqrt(0.05 * 0.95 / AUDITS)
        assert found.wrong <= 0.1
        assert found.reached >= 0.9


def test_a_plan_takes_fewer_labels_than_drawing_at_random() -> None:
    run = run_of(Setting(), np.random.default_rng(3))
    ended = pursued(run, np.random.default_rng(4).random(len(run.right)), Target(width=0.02))
    assert ended.reached
    # 1,980 random responses by `trueward audit plan --width 0.02 --expected-fpr 0.02 --share-wrong 0.4`
    assert ended.labels < 1_500
