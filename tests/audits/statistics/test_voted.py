"""Rates from labels of which each may be wrong: labellers that disagree say how often."""

from __future__ import annotations

import numpy as np
import pytest

from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame, cells, estimate_label_chance
from audits.statistics.label_errors import LabelErrors, Votes, estimate_label_errors
from audits.statistics.voted import VotedRates


def voted(
    chance: np.random.Generator, size: int, rate: float, missed: float, blamed: float, labellers: int, rest: float = 1.0
) -> tuple[Frame, Votes]:
    """A run whose verifier accepts ``rate`` of wrong responses, labelled by labellers that are wrong at times."""
    right = chance.random(size) < 0.6
    accepted = np.where(right, chance.random(size) < 0.95, chance.random(size) < rate)
    probability = np.where(chance.random(size) < 0.3, 0.9, rest)
    drawn = chance.random(size) < probability
    wrong = chance.binomial(labellers, np.where(right, blamed, 1 - missed)) * drawn
    votes = Votes(wrong.astype(np.float64), (labellers - wrong).astype(np.float64) * drawn)
    frame = Frame(
        accepted=accepted.astype(np.float64),
        right=np.where(drawn, (2 * wrong < labellers) * 1.0, np.nan),
        records=np.ones(size),
        group=np.arange(size),
        chance=estimate_label_chance(probability, drawn, drawn),
        stratum=np.zeros(size, dtype=np.int64),
    )
    return frame, votes


def errors_of(frame: Frame, votes: Votes) -> LabelErrors:
    some = frame.labelled
    return estimate_label_errors(cells(frame)[some], Votes(votes.wrong[some], votes.right[some]))


@pytest.mark.parametrize("labellers", [2, 3, 5])
@pytest.mark.parametrize(("missed", "blamed"), [(0.1, 0.1), (0.2, 0.03), (0.02, 0.25)])
def test_labellers_that_disagree_tell_how_often_each_is_wrong(missed: float, blamed: float, labellers: int) -> None:
    frame, votes = voted(np.random.default_rng(2), 20_000, 0.1, missed, blamed, labellers)
    found = errors_of(frame, votes)
    assert found.missed == pytest.approx(missed, abs=0.015)
    assert found.blamed == pytest.approx(blamed, abs=0.015)


@pytest.mark.parametrize(("labellers", "rest"), [(3, 1.0), (3, 0.2), (2, 1.0)])
def test_covers_the_truth_that_a_majority_of_them_does_not(labellers: int, rest: float) -> None:
    chance, held, negative, plain = np.random.default_rng(5), 0, 0, 0
    for _ in range(40):
        frame, votes = voted(chance, 2_000, 0.02, 0.1, 0.1, labellers, rest)
        found = VotedRates(frame, votes, errors_of(frame, votes))
        low, high = found.false_positive().interval
        held += low <= 0.02 <= high
        low, high = found.false_negative().interval
        negative += low <= 0.05 <= high
        low, high = DrawnRates(frame).false_positive().interval
        plain += low <= 0.02 <= high
    assert held >= 36
    assert negative >= 36
    assert labellers == 2 or rest < 1 or plain <= 10


def test_labels_without_errors_give_the_rates_that_they_always_gave() -> None:
    frame, votes = voted(np.random.default_rng(3), 2_000, 0.1, 0.0, 0.0, 3)
    exact, found = DrawnRates(frame), VotedRates(frame, votes, errors_of(frame, votes))
    for one, other in (
        (exact.false_positive(), found.false_positive()),
        (exact.false_negative(), found.false_negative()),
        (exact.precision(), found.precision()),
        (exact.recall(), found.recall()),
        (exact.f1(), found.f1()),
        (exact.accuracy(), found.accuracy()),
        (exact.right(), found.right()),
    ):
        assert other.rate == pytest.approx(one.rate, abs=0.002)
        assert tuple(other.interval) == pytest.approx(tuple(one.interval), abs=0.006)


def test_what_is_not_known_of_labels_errors_makes_intervals_wider() -> None:
    frame, votes = voted(np.random.default_rng(3), 2_000, 0.1, 0.1, 0.1, 3)
    few = np.arange(2_000) < 150
    alone = Votes(np.where(few, votes.wrong, votes.wrong > 1), np.where(few, votes.right, votes.wrong <= 1))
    known, less = (VotedRates(frame, one, errors_of(frame, one)).false_positive() for one in (votes, alone))
    assert less.interval.width > known.interval.width


def test_one_stratum_of_pairs_cannot_tell_both_errors_apart_and_is_wide() -> None:
    """Two labels each, all of accepted responses: any mixture of shares and errors fits."""
    frame, votes = voted(np.random.default_rng(3), 2_000, 0.1, 0.1, 0.1, 2)
    some = frame.of(frame.accepted == 1)
    place = np.zeros(len(some.right), dtype=np.int64)
    inside = Votes(votes.wrong[frame.accepted == 1], votes.right[frame.accepted == 1])
    one, both = estimate_label_errors(place, inside), errors_of(frame, votes)
    assert np.linalg.norm(one.spread) > 5 * np.linalg.norm(both.spread)


def test_a_frame_without_labels_has_no_rate() -> None:
    frame, votes = voted(np.random.default_rng(3), 20, 0.1, 0.1, 0.1, 3)
    nobody = frame.with_labels(np.full(20, np.nan))
    none = Votes(np.zeros(20), np.zeros(20))
    found = VotedRates(nobody, none, LabelErrors(0.1, 0.1, np.eye(2) * 0.1))
    assert found.false_positive().rate is None
    assert votes.labels.sum() == 60
