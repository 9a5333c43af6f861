"""How often the intervals of a consensus without labels hold the true rates, and what verifiers of one family are told.

``python -m benchmarks.consensus [--short | --long]``. All of it is simulation of our own, with known rates:

1. Voters that err independently given the truth: the share of nominal 95% intervals that hold the voter's true rate,
   and of upper ends that lie below it. One voter of each audit is looked at, in turn. Beside it Wilson's interval at
   the expected numbers of right and wrong items, which takes the estimated truth for labels.
2. Families: three or four voters that share the errors of one, apart by independent flips, and a judge on its own. How
   many voters are counted as distinct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audits.statistics.arrays import Floats
from audits.statistics.consensus_intervals import profile
from audits.statistics.dawid_skene import Consensus, dawid_skene
from audits.statistics.families import families
from audits.statistics.proportion import wilson
from benchmarks.report import Form, called, finish, rows

AUDITS: dict[Form, int] = {"short": 4, "quick": 60, "long": 1_000}
LEAST = 0.93


@dataclass(frozen=True, slots=True)
class Cell:
    """``right`` is the share of right and of wrong items that each voter gets right, ``share`` that of right items."""

    right: tuple[float, ...]
    items: int
    share: float = 0.4


@dataclass(frozen=True, slots=True)
class Covered:
    cell: Cell
    intervals: int
    covered: float
    below: float
    wilson: float
    width: float


@dataclass(frozen=True, slots=True)
class Told:
    """Of audits of a family of so many, with so many independent flips: the share in which it counted as one voter."""

    family: int
    apart: float
    audits: int
    as_one: float


FIVE = (0.9, 0.85, 0.8, 0.85, 0.9)
THREE = (0.9, 0.8, 0.85)
CELLS = (
    Cell(FIVE, 200),
    Cell(FIVE, 1_000),
    Cell(FIVE, 10_000),
    Cell(THREE, 200),
    Cell(THREE, 1_000),
    Cell(THREE, 10_000),
    Cell(THREE, 1_000, 0.85),
    Cell((0.7, 0.7, 0.7, 0.7), 1_000),
    Cell((0.97, 0.9, 0.95, 0.8), 1_000, 0.1),
)
APART = (0.0, 0.005, 0.02)


def drawn(cell: Cell, chance: np.random.Generator) -> tuple[Floats, Floats]:
    """Patterns of votes and how many items have each."""
    truth = chance.random(cell.items) < cell.share
    accepts = np.where(truth[:, None], cell.right, 1 - np.array(cell.right))
    return counted(chance.random(accepts.shape) < accepts)


def counted(votes: np.ndarray) -> tuple[Floats, Floats]:
    patterns, counts = np.unique(votes.astype(np.float64), axis=0, return_counts=True)
    return patterns, counts.astype(np.float64)


def fitted(patterns: Floats, counts: Floats) -> Consensus:
    return dawid_skene(patterns, counts=counts, iterations=5_000, tolerance=1e-10)


def coverage(cell: Cell, audits: int) -> Covered:
    chance = np.random.default_rng(7)
    held, below, plain, width = [], [], [], []
    for audit in range(audits):
        patterns, counts = drawn(cell, chance)
        fit, voter = fitted(patterns, counts), audit % len(cell.right)
        rates = np.stack([fit.confusion[:, 0, 1], fit.confusion[:, 1, 0]], axis=1)
        truth = 1 - cell.right[voter]
        for place, end in enumerate(profile(patterns.astype(np.int64), counts, float(fit.prior[1]), rates, voter)):
            known = float(fit.prior[place]) * cell.items
            naive = wilson(float(rates[voter, place]) * known, known)
            held.append(end.low <= truth <= end.high)
            below.append(end.high < truth)
            plain.append(naive.low <= truth <= naive.high)
            width.append(end.high - end.low)
    return Covered(cell, len(held), *(float(np.mean(some)) for some in (held, below, plain, width)))


def told(size: int, apart: float, audits: int) -> Told:
    chance = np.random.default_rng(8)
    as_one = 0
    for _ in range(audits):
        truth = chance.random(4_000) < 0.4
        core = np.where(truth, chance.random(4_000) >= 0.07, chance.random(4_000) < 0.05)
        votes = [core ^ (chance.random(4_000) < apart) for _ in range(size)]
        votes.append(np.where(truth, chance.random(4_000) >= 0.15, chance.random(4_000) < 0.1))
        as_one += families(*counted(np.stack(votes, axis=1))) == [tuple(range(size)), (size,)]
    return Told(size, apart, audits, as_one / audits)


def _least(intervals: int) -> float:
    """What a coverage of 93% is above but for chance."""
    return LEAST - 2 * float(np.sqrt(LEAST * (1 - LEAST) / intervals))


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("consensus", (__doc__ or "").partition("\n")[0], arguments)
    audits = AUDITS[call.form]
    covered = [coverage(cell, audits) for cell in CELLS]
    warned = [told(size, apart, min(audits, 40)) for size in (3, 4) for apart in APART]
    rows(
        "Nominal 95% intervals of independent voters (%)",
        ["voters", "items", "right items", "cover", "lie below", "Wilson's cover", "width"],
        [
            [
                ", ".join(f"{one:g}" for one in each.cell.right),
                f"{each.cell.items:,}",
                f"{100 * each.cell.share:g}",
                *(f"{100 * one:.1f}" for one in (each.covered, each.below, each.wilson)),
                f"{each.width:.3f}",
            ]
            for each in covered
        ],
    )
    rows(
        "Families beside one judge (%)",
        ["voters of the family", "flips", "counted as one"],
        [[str(each.family), f"{each.apart:g}", f"{100 * each.as_one:.0f}"] for each in warned],
    )
    intervals = sum(each.intervals for each in covered)
    held = sum(each.covered * each.intervals for each in covered) / intervals
    claims = {
        "intervals of independent voters cover 93% and more, up to two standard errors": held >= _least(intervals),
        "in each cell too": all(each.covered >= _least(each.intervals) for each in covered),
        "a family counts as one voter": all(each.as_one >= 0.95 for each in warned),
    }
    finish("consensus", call, {"coverage": covered, "families": warned}, claims)


if __name__ == "__main__":
    main()
