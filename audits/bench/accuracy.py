"""Means of a benchmark's measures with intervals, as examples come and as sections weigh the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from audits.statistics.arrays import Bools, Floats
from audits.statistics.clusters import bootstrap_intervals, cluster_totals, rates_of, too_few
from audits.statistics.proportion import Interval, difference, wilson


class Accuracy(NamedTuple):
    """The mean of ``rows`` values, None without any; ``note`` says what to hold against the interval."""

    rate: float | None
    interval: Interval | None
    rows: int
    note: str

    def to_json(self) -> dict[str, JsonValue]:
        interval: JsonValue = None if self.interval is None else list(self.interval)
        return {"rate": self.rate, "interval": interval, "rows": self.rows, "note": self.note}


class Measures(NamedTuple):
    """N values of each measure, with each row's domain, prompt and split."""

    values: dict[str, Floats]
    domains: list[str]
    prompts: list[str]
    splits: list[str | None]

    def select(self, kept: Bools) -> Measures:
        """Those of some rows."""
        places = np.flatnonzero(kept)
        return Measures(
            {name: values[places] for name, values in self.values.items()},
            [self.domains[place] for place in places],
            [self.prompts[place] for place in places],
            [self.splits[place] for place in places],
        )


def accuracy(values: Floats, prompts: Sequence[str], level: float, seed: int) -> Accuracy:
    """Wilson's interval; where prompts repeat that of a cluster bootstrap by prompt.

    Parts of a success count as such, which makes Wilson's interval rather too wide than too narrow. With too few
    prompts for a bootstrap each counts as one item. Values beyond [0, 1] have the bootstrap's interval alone.
    """
    size = len(values)
    if not size:
        return Accuracy(None, None, 0, "no row")
    rate = float(values.mean())
    bounded = bool(values.min() >= 0 and values.max() <= 1)
    totals = cluster_totals(np.stack([values, np.ones(size)], axis=1), list(prompts))
    if bounded and len(totals) == size:
        return Accuracy(rate, wilson(float(values.sum()), size, level), size, "")
    few = too_few(totals[:, 1], totals[:, 0] > 0, totals[:, 0] < totals[:, 1])
    if bounded and few is not None:
        worth = size**2 / float(np.sum(totals[:, 1] ** 2))
        return Accuracy(
            rate, wilson(rate * worth, worth, level), size, f"{len(totals)} prompts, each counts as one item"
        )
    found = bootstrap_intervals(totals, {"rate": rates_of}, level=level, seed=seed)
    return Accuracy(rate, found["rate"], size, few or f"{len(totals)} prompts")


def section_weighted(
    values: Floats, domains: Sequence[str], prompts: Sequence[str], level: float, seed: int
) -> Accuracy:
    """The mean of the domains' means, by bootstrap over prompts. No interval where prompts, or a domain's, are few."""
    size = len(values)
    names = list(dict.fromkeys(domains))
    if not size:
        return Accuracy(None, None, 0, "no row")
    places = {name: place for place, name in enumerate(names)}
    inside = np.eye(len(names))[[places[domain] for domain in domains]]
    totals = cluster_totals(np.concatenate([values[:, None] * inside, inside], axis=1), list(prompts))
    rate = float(_mean_of_sections(totals.sum(axis=0, keepdims=True))[0])
    sums, sizes = totals[:, : len(names)].sum(axis=1), totals[:, len(names) :].sum(axis=1)
    few = too_few(sizes, sums > 0, sums < sizes)
    found = None if few else bootstrap_intervals(totals, {"mean": _mean_of_sections}, level=level, seed=seed)["mean"]
    return Accuracy(rate, found, size, few or f"{len(names)} sections")


def drop(base: Floats, shifted: Floats, level: float) -> tuple[float | None, Interval]:
    """How much lower the mean is on the shifted rows, with Newcombe's interval of two independent samples."""
    counts = [(float(np.clip(part.sum(), 0, len(part))), float(len(part))) for part in (base, shifted)]
    fall = float(base.mean() - shifted.mean()) if len(base) and len(shifted) else None
    return fall, difference(counts[0], counts[1], level)


def _mean_of_sections(totals: Floats) -> Floats:
    """From B x 2K sums, the values' and the numbers of rows; NaN where a section was not drawn."""
    half = totals.shape[1] // 2
    rows = totals[:, half:]
    rates = np.where(rows > 0, totals[:, :half] / np.maximum(rows, 1), np.nan)
    means: Floats = rates.mean(axis=1)
    return means
