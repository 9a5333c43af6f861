"""Rates as a report gives them: by each method that applies, the plainest first."""

from __future__ import annotations

from collections.abc import Sequence

from audits.statistics.arrays import Groups
from audits.statistics.clusters import Clustered, cautious, estimate_rate
from audits.statistics.drawn import DrawnRate
from audits.statistics.proportion import LEVEL, proportion
from trueward.gate import deciding
from trueward.wire.audit import Estimate, Interval, Method


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
    return [*plain, of_clustered(estimate_rate(errors, groups, level=level, seed=seed), level)] if errors else plain


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


def of_run(plain: Sequence[Estimate], found: DrawnRate, what: str = "the run") -> list[Estimate]:
    """Of drawn responses: the rate of the run is the claim, those of the labelled ones alone are none. So it is where
    labels are known to be wrong at times: ``what`` the claim is of."""
    if found.rate is None:
        return [*plain, Estimate(method="horvitz_thompson", rate=None, errors=0, items=0, interval=None)]
    groups = f" in {found.groups:,} groups" if found.groups != found.drawn else ""
    claim = Estimate(
        method="horvitz_thompson",
        rate=found.rate,
        errors=found.rate * found.members,
        items=found.members,
        interval=found.interval,
        claim=True,
        note=f"of {what}, by {found.drawn:,} labelled responses{groups}; its counts are estimates",
    )
    alone = "of the labelled responses alone, no claim about the run" if what == "the run" else "as labelled, no claim"
    return [*(one.model_copy(update={"note": "; ".join(filter(None, [alone, one.note]))}) for one in plain), claim]


def mark_claim(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Marks the one that a gate goes by."""
    best = deciding(estimates, "upper")
    return [one.model_copy(update={"claim": True}) if one is best else one for one in estimates]
