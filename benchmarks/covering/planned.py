"""Batches that a plan draws until a rate is known so well: how many labels they take, and what the last look is worth.

The run, the truth and the second verifier are simulated (:mod:`benchmarks.covering.world`); the probabilities of each
batch, the levels of the looks and the interval are the product's. All labels of a batch are given before it is looked
at. The claim is about the run itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from audits.statistics.allocation import Cells, Target, level_of, pilot, top_up
from audits.statistics.arrays import Floats, Ints
from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame
from benchmarks.covering.world import Bools, Run, Setting, run_of

LEVEL, FIRST = 0.95, 300
MOST = 30
EXPECTED = np.array([0.8, 0.5, 0.5, 0.03])
"""Of wrong ones, by verdict and second verdict: neither, only the second, only the first, both."""


@dataclass(frozen=True, slots=True)
class Planned:
    """Over many audits: how often the last interval holds the run's rate, lies below it and above it; how often the
    rate was said to be on the wrong side of its limit; labels on average and in nine of ten audits; looks."""

    name: str
    target: Target
    covers: float
    below: float
    above: float
    wrong: float
    reached: float
    width: float
    labels: float
    most_labels: float
    looks: float


class Ended(NamedTuple):
    low: float
    high: float
    labels: int
    looks: int
    reached: bool


def pursued(run: Run, random: Floats, target: Target) -> Ended:
    """``random`` is the permanent random number of each response."""
    cell: Ints = run.accepted * 2 + run.second * 1
    kinds = np.arange(4)
    units = np.maximum(np.bincount(cell, minlength=4), 1).astype(np.float64)
    records, squares = (
        np.bincount(cell, weights=run.records**power, minlength=4).astype(np.float64) for power in (1, 2)
    )

    def known(labelled: Bools) -> Cells:
        some = (labelled, labelled & ~run.right)
        labels, members = (np.bincount(cell, weights=one, minlength=4).astype(np.float64) for one in some)
        return Cells((kinds // 2).astype(np.float64), units, records, squares, labels, members)

    chance = pilot(known(np.zeros(len(cell), dtype=np.bool_)), EXPECTED, FIRST)
    found, looks, labelled = Ended(0.0, 1.0, 0, 0, False), 0, np.zeros(len(cell), dtype=np.bool_)
    for batch in range(1, MOST):
        labelled = random < chance[cell]
        if batch > 1 or chance.min() >= 1:
            looks = max(batch - 1, 1)
            low, high = _interval(run, cell, chance, labelled, level_of(looks, LEVEL))
            found = Ended(low, high, int(labelled.sum()), looks, target.is_reached(low, high))
            if found.reached or chance.min() >= 1:
                break
        chance = top_up(known(labelled), chance, target, level_of(batch, LEVEL))
    return found


def _interval(run: Run, cell: Ints, chance: Floats, labelled: Bools, level: float) -> tuple[float, float]:
    frame = Frame(
        accepted=run.accepted.astype(np.float64),
        right=np.where(labelled, run.right, np.nan),
        records=run.records,
        group=run.group,
        chance=chance[cell],
        stratum=cell,
    )
    low, high = DrawnRates(frame, level=level, at_large=False).false_positive().interval
    return low, high


def planned(setting: Setting, target: Target, audits: int, seed: int) -> Planned:
    generator = np.random.default_rng([seed, 1])
    ended, rates = [], []
    for _ in range(audits):
        run = run_of(setting, generator)
        ended.append(pursued(run, generator.random(len(run.right)), target))
        rates.append(run.rate)
    low, high, labels, looks, reached = (np.array(column, dtype=np.float64) for column in zip(*ended, strict=True))
    rate = np.array(rates)
    limit = target.limit
    wrong = np.zeros(audits) if limit is None else reached * ((high < limit) == (rate > limit))
    return Planned(
        setting.name.partition(", ")[2],
        target,
        covers=float(np.mean((low <= rate) & (rate <= high))),
        below=float(np.mean(high < rate)),
        above=float(np.mean(low > rate)),
        wrong=float(np.mean(wrong)),
        reached=float(np.mean(reached)),
        width=float(np.mean(high - low)),
        labels=float(np.mean(labels)),
        most_labels=float(np.quantile(labels, 0.9)),
        looks=float(np.mean(looks)),
    )


def plans(form: str) -> list[tuple[Setting, Target]]:
    """A width of two points around 2%; whether the rate is below 2%, where it is that very rate, less, and more."""
    width, limit = Target(width=0.02), Target(limit=0.02)
    if form == "short":
        return [(Setting(), width), (Setting(), limit)]
    sees = (0.2, 0.5, 0.7, 0.9)
    found = [(Setting(see=see, size=size), width) for size in (5_000, 20_000) for see in sees]
    found += [(Setting(see=see, rate=rate), limit) for see in sees for rate in (0.005, 0.01, 0.02, 0.04)]
    found += [(Setting(rho=rho), target) for rho in (0.0, 0.6) for target in (width, limit)]
    found += [(Setting(repeats=share), target) for share in (0.3, 0.9) for target in (width, limit)]
    return [*found, (Setting(size=1_000), width), (Setting(size=1_000), limit), (Setting(rate=0.2), Target(width=0.06))]
