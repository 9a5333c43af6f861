"""What labelled items say of a subject: its counts, its error rates by every method that applies, its metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.audit.estimates import of_clustered, of_counts, of_weighted
from app.audit.labelled.records import Records
from app.audit.labelled.truth import Truth
from app.audit.statistics.arrays import Bools, Floats, Ints
from app.audit.statistics.clustered_confusion import ClusteredConfusion, clustered_confusion
from app.audit.statistics.clusters import Clustered, cautious, clustered_rate
from app.audit.statistics.confusion import Confusion
from app.audit.statistics.prevalence import Prevalence, rogan_gladen
from app.audit.statistics.proportion import Interval
from app.audit.statistics.rates import clustered_rate_of, weighted_rate_of
from app.audit.statistics.sampling import Weighted, poisson_rate
from rewards.noise.rates import Rate
from trueward.audits import Estimate


@dataclass(frozen=True, slots=True)
class Items:
    """Labelled records: ``rows`` are their places, ``accepted`` is NaN where there is no verdict. ``probability`` is
    there where they were drawn."""

    rows: Ints
    right: Bools
    accepted: Floats
    groups: Ints
    probability: Floats | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def judged(self) -> Bools:
        return ~np.isnan(self.accepted)

    def of(self, some: Bools) -> Items:
        probability = None if self.probability is None else self.probability[some]
        return Items(self.rows[some], self.right[some], self.accepted[some], self.groups[some], probability)

    def share(self, errors: Bools, members: Bools, level: float) -> Weighted:
        """The weighted share of errors among members; for items that were drawn."""
        assert self.probability is not None
        return poisson_rate(errors & members, self.probability, members, self.groups, level=level)


class Labelled(NamedTuple):
    """All labelled items, and those of them that were drawn, empty where none was."""

    items: Items
    drawn: Items


def labelled_items(records: Records, truth: Truth) -> Labelled:
    rows = np.flatnonzero(~np.isnan(truth.right))
    drawn = truth.drawn
    return Labelled(_items(records, truth, rows), _items(records, truth, drawn.rows, drawn.probability))


def _items(records: Records, truth: Truth, rows: Ints, probability: Floats | None = None) -> Items:
    return Items(rows, truth.right[rows] == 1, records.accepted[rows], records.group[rows], probability)


class Metric(NamedTuple):
    """Over the labelled items, and over the run where these were drawn (None else)."""

    value: float | None
    interval: Interval | None
    weighted: Weighted | None = None


class Measured(NamedTuple):
    """``rate`` is what a recipe corrects with, by the most careful method; ``effective`` is how many independent wrong
    and right items are behind it."""

    counts: Confusion
    false_positives: list[Estimate]
    false_negatives: list[Estimate]
    rate: Rate
    effective: tuple[float, float]
    metrics: dict[str, Metric]

    @property
    def youden(self) -> tuple[float, Interval] | None:
        """J, and what it is with both rates at the same ends of their intervals; None where one rate is not known."""
        positive, negative = self.rate.false_positive_interval, self.rate.false_negative_interval
        if not (self.rate.wrong and self.rate.right and positive and negative):
            return None
        return self.rate.index, Interval(self.rate.lowest_index, 1 - positive[0] - negative[0])


def measured(labelled: Labelled, level: float, seed: int) -> Measured:
    items, drawn = labelled
    found = clustered_confusion(items.right, items.accepted, items.groups, level=level, seed=seed)
    counts = found.counts
    positives = _estimates(counts.wrong_accepted, counts.wrong, found.false_positives, level)
    negatives = _estimates(counts.right_rejected, counts.right, found.false_negatives, level)
    rate = clustered_rate_of(found.false_positives, found.false_negatives, level)
    effective = (_worth(found.false_positives), _worth(found.false_negatives))
    if len(drawn):
        weighted = weighted_errors(drawn, level)
        positives.append(of_weighted(weighted[0]))
        negatives.append(of_weighted(weighted[1]))
        rate = weighted_rate_of(*weighted)
        effective = (weighted[0].effective, weighted[1].effective)
    return Measured(counts, positives, negatives, rate, effective, _metrics(found, drawn, level))


def weighted_errors(drawn: Items, level: float) -> tuple[Weighted, Weighted]:
    """Both error rates of drawn items."""
    accepted, judged = drawn.accepted == 1, drawn.judged
    return (
        drawn.share(accepted, ~drawn.right & judged, level),
        drawn.share(~accepted, drawn.right & judged, level),
    )


def rate_of_items(labelled: Labelled, level: float, seed: int) -> Rate:
    """The rates of a slice: weighted where its items were drawn, else by cluster."""
    items, drawn = labelled
    if len(drawn):
        return weighted_rate_of(*weighted_errors(drawn, level))
    wrong, right = (items.of(kind & items.judged) for kind in (~items.right, items.right))
    return clustered_rate_of(
        clustered_rate(wrong.accepted == 1, wrong.groups, level=level, seed=seed),
        clustered_rate(right.accepted == 0, right.groups, level=level, seed=seed),
        level,
    )


def true_pass_rate(accepted: Floats, found: Measured, level: float) -> Prevalence | str:
    """Of the whole population, labelled or not: ``accepted`` are its verdicts. A sentence where it cannot be told."""
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


def _metrics(found: ClusteredConfusion, drawn: Items, level: float) -> dict[str, Metric]:
    """Youden's J is not among them: its interval follows from those of both rates."""
    counts, intervals = found.counts, found.intervals
    missed = cautious(found.false_negatives, level) if counts.right else None
    metrics = {name: Metric(getattr(counts, name), intervals[name]) for name in ("coverage", "accuracy", "precision")}
    metrics["recall"] = Metric(counts.recall, Interval(1 - missed.high, 1 - missed.low) if missed else None)
    metrics |= {name: Metric(getattr(counts, name), intervals[name]) for name in ("f1", "mcc", "kappa")}
    if len(drawn):
        accepted, judged, right = drawn.accepted == 1, drawn.judged, drawn.right
        shares = {
            "coverage": drawn.share(judged, np.ones_like(judged), level),
            "accuracy": drawn.share(accepted == right, judged, level),
            "precision": drawn.share(right, accepted, level),
            "recall": drawn.share(accepted, right & judged, level),
        }
        metrics |= {name: metrics[name]._replace(weighted=share) for name, share in shares.items()}
    return metrics
