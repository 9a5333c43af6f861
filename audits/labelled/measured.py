"""What labelled items say of a subject: its counts, its error rates by every method that applies, its metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from audits.estimates import mark_claim, of_clustered, of_counts, of_run
from audits.labelled.frame import Framed
from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.clustered_confusion import estimate_confusion
from audits.statistics.clusters import Clustered, cautious, estimate_rate
from audits.statistics.confusion import Confusion
from audits.statistics.drawn import DrawnRate, DrawnRates
from audits.statistics.prevalence import Prevalence, rogan_gladen
from audits.statistics.proportion import LEVEL, Interval, quantile
from rewards.noise.rates import Rate
from trueward.wire.audit import Estimate


@dataclass(frozen=True, slots=True)
class Items:
    """Labelled records: ``rows`` are their places, ``accepted`` is NaN where there is no verdict."""

    rows: Ints
    right: Bools
    accepted: Floats
    groups: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> Bools:
        return ~np.isnan(self.accepted)

    def of(self, some: Bools) -> Items:
        return Items(self.rows[some], self.right[some], self.accepted[some], self.groups[some])


class Labelled(NamedTuple):
    """All labelled items, how many contents of them were drawn, and the frame that they speak of."""

    items: Items
    drawn: int
    framed: Framed


def select_labelled(records: Records, truth: Truth, level: float, lasting: bool = False) -> Labelled:
    rows = np.flatnonzero(~np.isnan(truth.right))
    items = Items(rows, truth.right[rows] == 1, records.accepted[rows], records.group[rows])
    return Labelled(items, len(truth.drawn.rows), Framed(records, truth, level, lasting))


class Metric(NamedTuple):
    """Over the labelled items, and over the run where these were drawn (None else)."""

    value: float | None
    interval: Interval | None
    weighted: DrawnRate | None = None


class MeasuredRate(NamedTuple):
    """``rate`` is what a recipe corrects with, by the estimate that is the claim; ``effective`` is how many independent
    wrong and right items are behind it, and ``passing`` the share of right ones in the run, where items were drawn."""

    counts: Confusion
    false_positives: list[Estimate]
    false_negatives: list[Estimate]
    rate: Rate
    effective: tuple[float, float]
    metrics: dict[str, Metric]
    passing: DrawnRate | None

    @property
    def youden(self) -> tuple[float, Interval] | None:
        """J, and what it is with both rates at the same ends of their intervals; None where one rate is not known."""
        positive, negative = self.rate.false_positive_interval, self.rate.false_negative_interval
        if not (self.rate.wrong and self.rate.right and positive and negative):
            return None
        return self.rate.index, Interval(self.rate.lowest_index, 1 - positive[0] - negative[0])


def measure(labelled: Labelled, level: float, seed: int) -> MeasuredRate:
    items, _, framed = labelled
    found = estimate_confusion(items.right, items.accepted, items.groups, level=level, seed=seed)
    counts, rates = found.counts, framed.rates()
    positives = _estimates(counts.wrong_accepted, counts.wrong, found.false_positives, level)
    negatives = _estimates(counts.right_rejected, counts.right, found.false_negatives, level)
    rate = make_clustered_rate(found.false_positives, found.false_negatives, level)
    if framed.claims:
        weighted = rates.false_positive(), rates.false_negative()
        what = "the run" if framed.drawn else "these responses, without what their labels get wrong"
        positives, negatives = of_run(positives, weighted[0], what), of_run(negatives, weighted[1], what)
        rate = make_drawn_rate(*weighted)
    else:
        positives, negatives = mark_claim(positives), mark_claim(negatives)
    effective = (_worth(found.false_positives), _worth(found.false_negatives))
    metrics = _metrics(counts, found.intervals, found.false_negatives, rates, framed.claims, level)
    return MeasuredRate(counts, positives, negatives, rate, effective, metrics, rates.right() if framed.drawn else None)


def rate_of_items(labelled: Labelled, inside: Bools, some: Bools, level: float, seed: int) -> Rate:
    """The rates of a slice: of the run where items were drawn, else by cluster. ``inside`` are its records, ``some``
    its items."""
    if labelled.framed.claims:
        rates = labelled.framed.rates(inside)
        return make_drawn_rate(rates.false_positive(), rates.false_negative())
    items = labelled.items.of(some)
    wrong, right = (items.of(kind & items.judged) for kind in (~items.right, items.right))
    return make_clustered_rate(
        estimate_rate(wrong.accepted == 1, wrong.groups, level=level, seed=seed),
        estimate_rate(right.accepted == 0, right.groups, level=level, seed=seed),
        level,
    )


def true_pass_rate(accepted: Floats, found: MeasuredRate, level: float) -> Prevalence | str:
    """Of the whole population, labelled or not: counted where labels were drawn, else by Rogan and Gladen from
    ``accepted``, its verdicts. A sentence where it cannot be told."""
    if found.passing is not None:
        return _counted(found.passing, level)
    judged = accepted[~np.isnan(accepted)]
    rate = found.rate
    if not (rate.wrong and rate.right and len(judged)):
        return "the true pass rate is not known: it takes labels of right and of wrong responses with a verdict"
    wrong, right = (max(int(worth), 1) for worth in found.effective)
    try:
        return rogan_gladen(
            float(judged.mean()),
            len(judged),
            rate.false_positive,
            rate.false_negative,
            wrong=wrong,
            right=right,
            level=level,
        )
    except ValueError as refusal:
        return f"the true pass rate is not known: {refusal}"


def _estimates(errors: int, items: int, clustered: Clustered, level: float) -> list[Estimate]:
    plain = of_counts(errors, items, level)
    return [*plain, of_clustered(clustered, level)] if items else plain


def _worth(found: Clustered) -> float:
    return found.trials if found.effective_trials is None else found.effective_trials


def _counted(passing: DrawnRate, level: float) -> Prevalence | str:
    if passing.rate is None:
        return "the true pass rate is not known: no response with a verdict is labelled"
    error = passing.interval.width / (2 * quantile(level))
    return Prevalence(passing.rate, passing.rate, error, passing.interval)


def _metrics(
    counts: Confusion,
    intervals: dict[str, Interval | None],
    negatives: Clustered,
    rates: DrawnRates,
    drawn: bool,
    level: float,
) -> dict[str, Metric]:
    """Youden's J is not among them: its interval follows from those of both rates. Where labels were not drawn the
    shares have the ends that the labelled responses alone give: a bootstrap of no errors would have no width."""
    shares = {
        "coverage": rates.coverage,
        "accuracy": rates.accuracy,
        "precision": rates.precision,
        "recall": rates.recall,
        "f1": rates.f1,
    }
    missed = cautious(negatives, level) if counts.right else None
    metrics = {}
    for name in (*shares, "mcc", "kappa"):
        value, interval = getattr(counts, name), intervals.get(name)
        of_run = shares[name]() if name in shares else None
        if drawn:
            metrics[name] = Metric(value, _wide(interval), of_run)
        elif of_run is not None:
            metrics[name] = Metric(value, of_run.interval if of_run.rate is not None else None)
        else:
            metrics[name] = Metric(value, _wide(interval))
    if missed is not None and not drawn:
        metrics["recall"] = Metric(counts.recall, Interval(1 - missed.high, 1 - missed.low))
    return metrics


def _wide(interval: Interval | None) -> Interval | None:
    """None for a bootstrap's interval without a width: its resamples are all alike, which says nothing."""
    return interval if interval is not None and interval.width > 0 else None


def make_clustered_rate(positives: Clustered, negatives: Clustered, level: float = LEVEL) -> Rate:
    """The rates of one slice from clusters, with the intervals of ``clusters.cautious``, as recipes correct with them.

    What was never labelled is not known: without a wrong response in it a slice's false-positive rate is an interval of
    [0, 1], which a recipe refuses to correct with; without a right one ``right`` is 0, which says that its
    false-negative rate does not matter.
    """
    return Rate(
        false_positive=positives.rate or 0.0,
        false_negative=negatives.rate or 0.0,
        false_positive_interval=cautious(positives, level),
        false_negative_interval=cautious(negatives, level),
        right=negatives.trials,
        wrong=positives.trials,
    )


def make_drawn_rate(positives: DrawnRate, negatives: DrawnRate) -> Rate:
    """The rates of one slice from items drawn with unequal probability; counts are those of the labelled items."""
    return Rate(
        false_positive=positives.rate or 0.0,
        false_negative=negatives.rate or 0.0,
        false_positive_interval=positives.interval,
        false_negative_interval=negatives.interval,
        right=negatives.drawn,
        wrong=positives.drawn,
    )
