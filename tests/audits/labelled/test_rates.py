"""From audited counts to the rates that recipes correct with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from audits.labelled.measured import make_clustered_rate, make_drawn_rate
from audits.statistics.clustered_confusion import estimate_confusion
from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame
from rewards.noise.correction import Corrector
from rewards.noise.noise import Noise
from rewards.noise.rates import Fate, Rate, Rates, fate
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Producer, Verdict


def audited(right: Sequence[int], accepted: Sequence[int]) -> Rate:
    """From items that are clusters of their own."""
    found = estimate_confusion(right, accepted, np.arange(len(right)))
    return make_clustered_rate(found.false_positives, found.false_negatives)


def judged(outcome: Outcome, form: str) -> Verdict:
    return Verdict(
        id="a",
        outcome=outcome,
        score=float(outcome is Outcome.CORRECT),
        reason_code="r",
        reason="r",
        evidence={"form": form},
        producer=Producer(name="v", version="1", params="sha256:0"),
        elapsed_s=0.0,
    )


def test_recipes_correct_with_an_audit_by_slice() -> None:
    odd = audited([1] * 100 + [0] * 100, [1] * 95 + [0] * 5 + [1] * 50 + [0] * 50)
    plainly = audited([1] * 100 + [0] * 100, [1] * 80 + [0] * 20 + [1] * 10 + [0] * 90)
    rates = Rates(source="audit:7", pooled=plainly, by=("form",), slices={"form=odd": odd})
    corrector = Corrector(Noise(audit="7", by=("form",)), rates)
    sample = Sample(id="a", prompt="?", response="1", reference="1")
    plain = corrector.correct(sample, judged(Outcome.CORRECT, "plain"))
    assert plain.value == pytest.approx(0.9 / 0.7)
    assert plain.estimate == "audit:7[pooled]"
    found = corrector.correct(sample, judged(Outcome.CORRECT, "odd"))
    assert found.value == pytest.approx(0.5 / 0.45)
    assert found.estimate == "audit:7[form=odd]"


def test_a_rate_that_was_never_labelled_cannot_be_corrected_with() -> None:
    unlabelled = audited([1] * 50, [1] * 50)
    assert (unlabelled.wrong, unlabelled.false_positive_interval) == (0, (0, 1))
    assert Noise(audit="7").refusal(unlabelled) is not None
    assert fate(unlabelled) is Fate.UNCERTAIN


def test_a_slice_without_right_responses_needs_no_false_negative_rate() -> None:
    rate = audited([0] * 200, [1] * 20 + [0] * 180)
    assert (rate.right, rate.missed) == (0, 0.0)
    assert Noise(audit="7").refusal(rate) is None


def test_clusters_carry_their_intervals_and_few_of_them_wide_ones() -> None:
    generator = np.random.default_rng(0)
    right = generator.random(1600) < 0.5
    accepted = np.where(generator.random(1600) < 0.2, ~right, right)
    enough = estimate_confusion(right, accepted, np.repeat(np.arange(200), 8))
    rate = make_clustered_rate(enough.false_positives, enough.false_negatives)
    assert rate.false_positive_interval == enough.false_positives.interval
    assert rate.wrong == int((~right).sum())
    few = estimate_confusion(right, accepted, np.repeat(np.arange(20), 80))
    assert make_clustered_rate(few.false_positives, few.false_negatives).widest > 2 * rate.widest


def test_rates_of_drawn_responses_carry_what_was_labelled() -> None:
    generator = np.random.default_rng(1)
    right, accepted = generator.random(500) < 0.5, (generator.random(500) < 0.5).astype(np.float64)
    chance, number = np.where(generator.random(500) < 0.5, 0.2, 0.6), np.arange(500)
    labelled = generator.random(500) < chance
    frame = Frame(accepted, np.where(labelled, right, np.nan), np.ones(500), number, chance, np.zeros_like(number))
    positives, negatives = DrawnRates(frame).false_positive(), DrawnRates(frame).false_negative()
    rate = make_drawn_rate(positives, negatives)
    assert rate.false_positive == positives.rate
    assert rate.false_negative_interval == negatives.interval
    assert (rate.right, rate.wrong) == (int((labelled & right).sum()), int((labelled & ~right).sum()))
