"""What to do with error rates of slices that few labels measured: simulated, with known rates.

``python -m benchmarks.slice_rates [--short | --long]``. Three tables, all of our own simulation:

1. Partial pooling's intervals: how often they hold the true rate of a slice, and of one that was not labelled.
2. Which slices to correct: the cosine of the update that a batch of 1,024 responses gives with the clean one, where
   slices are corrected with their own rates, with those of the whole, partially pooled, or not at all when uncertain.
3. When to correct at all: a verifier without slices by the lower end of its J, and by the width of its intervals.

The policy's logits are one a slice and truth, so the update of a cell is its share times its mean pay less the mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from audits.statistics.arrays import Bools, Floats
from audits.statistics.partial_pooling import Pooled, pool_partly
from audits.statistics.proportion import wilson
from benchmarks.report import Form, called, finish, rows
from rewards.noise.noise import Noise

AUDITS: dict[Form, int] = {"short": 4, "quick": 60, "long": 400}
SLICES = 8
BATCH = 1_024
LABELS = (50, 200, 1_000)
MEANS = ((0.05, 0.1), (0.2, 0.2))
ALIKE = (2.0, 10.0, 100.0)
WIDTHS = (0.3, 0.5, 0.7, 0.9)
ENDS = (-0.5, -0.2, 0.0, 0.1, 0.2)
VERIFIERS = ((0.02, 0.06), (0.1, 0.2), (0.2, 0.4), (0.4, 0.4), (0.5, 0.4), (0.5, 0.5), (0.55, 0.55))
PER_KIND = (10, 30, 100, 400)
SMALLEST = 0.1
NOISE = Noise(audit="x")


@dataclass(frozen=True, slots=True)
class World:
    """Slices: their shares, the share of right ones in each, and the verifier's error rates there."""

    share: Floats
    right: Floats
    positive: Floats
    negative: Floats

    def cosine(self, pay: Floats) -> float:
        """``pay`` is S x 2, of a rejected and of an accepted response; NaN where a slice gets none."""
        cells = np.stack([self.share * (1 - self.right), self.share * self.right], axis=1)
        accepted = np.stack([self.positive, 1 - self.negative], axis=1)
        paid = ~np.isnan(pay[:, :1])
        low, high = np.where(paid, pay[:, :1], 0.0), np.where(paid, pay[:, 1:], 0.0)
        mean, square = low * (1 - accepted) + high * accepted, low**2 * (1 - accepted) + high**2 * accepted
        held = cells * paid
        base = float((held * mean).sum()) / max(float(held.sum()), 1e-12)
        update = held * (mean - base)
        noise = float((held * (square - 2 * base * mean + base**2)).sum()) / BATCH
        clean = cells * (np.array([0.0, 1.0]) - cells[:, 1].sum())
        length = np.sqrt(float((update**2).sum()) + noise) * np.sqrt(float((clean**2).sum()))
        return float((update * clean).sum() / length) if length > 0 else 0.0


def corrected(positive: Floats, negative: Floats) -> Floats:
    """S x 2; NaN where J is below the smallest that is corrected with."""
    index = 1 - positive - negative
    index = np.where(index < SMALLEST, np.nan, index)
    return np.stack([-positive / index, (1 - positive) / index], axis=1)


def arms(world: World, labels: int, chance: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """What each way to use one audit of so many labels pays."""
    cells = np.concatenate([world.share * (1 - world.right), world.share * world.right])
    wrong, right = np.split(chance.multinomial(labels, cells / cells.sum()), 2)
    accepted, rejected = chance.binomial(wrong, world.positive), chance.binomial(right, world.negative)
    whole = [float((accepted.sum() + 0.5) / (wrong.sum() + 1)), float((rejected.sum() + 0.5) / (right.sum() + 1))]
    pooled = [pool_partly(accepted, wrong).slices, pool_partly(rejected, right).slices]
    rate = [np.array([one.rate for one in some]) for some in pooled]
    width = [np.array([one.interval.width for one in some]) for some in pooled]
    high = [np.array([one.interval.high for one in some]) for some in pooled]
    shared, part = corrected(np.full(SLICES, whole[0]), np.full(SLICES, whole[1])), corrected(rate[0], rate[1])
    own = [np.where(size > 0, errors / np.maximum(size, 1), one)
           for errors, size, one in ((accepted, wrong, whole[0]), (rejected, right, whole[1]))]  # fmt: skip
    yield "not corrected", np.tile([0.0, 1.0], (SLICES, 1))
    yield "rates of the whole", shared
    yield "each slice's own rates", corrected(own[0], own[1])
    yield "partially pooled", part
    for widest in WIDTHS:
        uncertain = (np.maximum(width[0], width[1]) > widest)[:, None]
        yield f"no reward if wider than {widest:g}", np.where(uncertain, np.nan, part)
        yield f"the whole's if wider than {widest:g}", np.where(uncertain, shared, part)
    for end in ENDS:
        uncertain = (1 - high[0] - high[1] <= end)[:, None]
        yield f"no reward if J may be {end:g}", np.where(uncertain, np.nan, part)
    yield "exact rates", corrected(world.positive, world.negative)


def directions(audits: int) -> dict[str, tuple[float, float]]:
    """Mean of the cosine and its 10th percentile by arm, over all cells of labels, means and likeness."""
    chance = np.random.default_rng(1)
    found: dict[str, list[Floats]] = {}
    for labels, (positive, negative), alike in product(LABELS, MEANS, ALIKE):
        cosines: dict[str, list[float]] = {}
        for _ in range(audits):
            world = World(
                chance.dirichlet(np.full(SLICES, 0.5)),
                chance.beta(2, 3, SLICES),
                chance.beta(positive * alike, (1 - positive) * alike, SLICES),
                chance.beta(negative * alike, (1 - negative) * alike, SLICES),
            )
            for name, pay in arms(world, labels, chance):
                cosines.setdefault(name, []).append(world.cosine(pay))
        for name, values in cosines.items():
            found.setdefault(name, []).append(np.array([np.mean(values), np.percentile(values, 10)]))
    return {name: (float(np.mean(cells, axis=0)[0]), float(np.mean(cells, axis=0)[1])) for name, cells in found.items()}


@dataclass(frozen=True, slots=True)
class Covered:
    slices: int
    mean: float
    alike: float
    covered: float
    above: float
    elsewhere: float


def coverage(audits: int) -> list[Covered]:
    """Of slices with 0 to 200 labels, and of one more without any."""
    chance = np.random.default_rng(0)
    found = []
    for slices, mean, alike in product((2, 5, 20), (0.02, 0.1, 0.3), (2.0, 10.0, 1e4)):
        inside, above, elsewhere = [], [], []
        for _ in range(audits):
            truth = chance.beta(mean * alike, (1 - mean) * alike, slices + 1)
            trials = chance.choice([0, 1, 3, 10, 40, 200], slices)
            pooled = pool_partly(chance.binomial(trials, truth[:-1]), trials)
            inside += [_holds(one, rate) for one, rate in zip(pooled.slices, truth, strict=False)]
            above += [rate > one.interval.high for one, rate in zip(pooled.slices, truth, strict=False)]
            elsewhere.append(_holds(pooled.elsewhere, float(truth[-1])))
        shares = (float(np.mean(some)) for some in (inside, above, elsewhere))
        found.append(Covered(slices, mean, alike, *shares))
    return found


def _holds(found: Pooled, rate: float) -> bool:
    return found.interval.low <= rate <= found.interval.high


@dataclass(frozen=True, slots=True)
class Gate:
    """``used``: of verifiers with J of 0.1 and more; ``useless``: of those with J of 0 and less. ``off``: of the used,
    corrected with a J that is wrong by a factor of two."""

    rule: str
    used: float
    useless: float
    off: float


def gates(audits: int) -> list[Gate]:
    chance = np.random.default_rng(2)
    truth, index, lowest, widest = [], [], [], []
    for positive, negative in VERIFIERS:
        for labels in PER_KIND:
            for _ in range(audits):
                errors = chance.binomial(labels, positive), chance.binomial(labels, negative)
                ends = [wilson(count, labels) for count in errors]
                truth.append(1 - positive - negative)
                index.append(1 - sum(errors) / labels)
                lowest.append(1 - ends[0].high - ends[1].high)
                widest.append(max(end.width for end in ends))
    true, found = np.array(truth), np.array(index)
    low, wide = np.array(lowest), np.array(widest)
    some = found >= SMALLEST
    useful = true > 0.05

    def gate(rule: str, used: Bools) -> Gate:
        used = used & some
        ratio = found[used & useful] / true[used & useful]
        off = int(np.count_nonzero((ratio > 2) | (ratio < 0.5))) / max(int(np.count_nonzero(used)), 1)
        return Gate(rule, float(used[useful].mean()), float(used[~useful].mean()), off)

    rules = {"J of 0.1 and more": some}
    rules |= {f"J surely above {end:g}": low > end for end in ENDS}
    rules |= {f"no wider than {width:g}": wide <= width for width in WIDTHS}
    rules |= {"the defaults": (low > NOISE.lowest_index) & (wide <= NOISE.widest_interval)}
    return [gate(rule, used) for rule, used in rules.items()]


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("slice_rates", "What to do with error rates that few labels measured.", arguments)
    audits = AUDITS[call.form]
    covered, cosines, gated = coverage(audits), directions(audits), gates(10 * audits)
    rows(
        "Partial pooling, 95% intervals (%)",
        ["slices, mean rate, likeness", "cover", "lie below", "cover elsewhere"],
        [
            [
                f"{one.slices}, {one.mean:g}, {one.alike:g}",
                *(f"{100 * x:.1f}" for x in (one.covered, one.above, one.elsewhere)),
            ]
            for one in covered
        ],
    )
    rows(
        "Cosine of the update with the clean one",
        ["slices are corrected with", "mean", "10th percentile"],
        [[name, f"{mean:.3f}", f"{low:.3f}"] for name, (mean, low) in cosines.items()],
    )
    rows(
        "A verifier without slices (%)",
        ["corrected where", "of useful ones", "of useless ones", "off by two"],
        [[one.rule, *(f"{100 * x:.1f}" for x in (one.used, one.useless, one.off))] for one in gated],
    )
    default = gated[-1]
    best = max(mean for name, (mean, _) in cosines.items() if name != "exact rates")
    claims = {
        "partly pooled intervals cover 93% and more": float(np.mean([one.covered for one in covered])) >= 0.93,
        "no way to use an audit is better than partial pooling by more than 0.01": best - cosines["partially pooled"][0]
        <= 0.01,
        "at the defaults at most 1% of useless verifiers are corrected": default.useless <= 0.01,
    }
    finish("slice_rates", call, {"coverage": covered, "cosines": cosines, "gates": gated}, claims)


if __name__ == "__main__":
    main()
