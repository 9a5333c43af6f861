"""Rates as a report gives them: by each method that applies, the plainest first."""

from __future__ import annotations

from collections.abc import Sequence

from app.audit.statistics.arrays import Groups
from app.audit.statistics.clusters import Clustered, cautious, clustered_rate
from app.audit.statistics.proportion import LEVEL, proportion
from app.audit.statistics.sampling import Weighted
from trueward.audits import Estimate, Interval, Method


def of_counts(errors: int, items: int, level: float = LEVEL) -> list[Estimate]:
    """Wilson's and Clopper and Pearson's intervals, for independent items."""
    found = proportion(errors, items, level)
    none = "" if items else "no item of this kind"
    intervals: dict[Method, Interval] = {"wilson": found.wilson, "clopper_pearson": found.clopper_pearson}
    return [
        Estimate(
            method=method,
            rate=found.rate,
            errors=errors,
            items=items,
            interval=interval if items else None,
            note=none,
        )
        for method, interval in intervals.items()
    ]


def of_groups(errors: Sequence[bool], groups: Groups, level: float = LEVEL, seed: int = 0) -> list[Estimate]:
    """The same, and by cluster bootstrap: items of one group share their fate."""
    plain = of_counts(sum(errors), len(errors), level)
    return [*plain, of_clustered(clustered_rate(errors, groups, level=level, seed=seed), level)] if errors else plain


def of_clustered(found: Clustered, level: float = LEVEL) -> Estimate:
    """With too few clusters the interval is the cautious one, and the note says so."""
    return Estimate(
        method="cluster_bootstrap",
        rate=found.rate,
        errors=found.errors,
        items=found.trials,
        interval=cautious(found, level) if found.trials else None,
        note=found.too_few or f"{found.clusters} groups",
    )


def of_weighted(found: Weighted) -> Estimate:
    """Of items that were drawn with known probabilities."""
    return Estimate(
        method="horvitz_thompson",
        rate=found.rate,
        errors=(found.rate or 0.0) * found.members,
        items=found.members,
        interval=found.interval if found.rate is not None else None,
        note=f"{found.drawn} labelled, worth {found.effective:.0f}" + (f"; {found.too_few}" if found.too_few else ""),
    )
