"""Simulated runs: groups of responses with a known truth, a verifier with known error rates, and a second one.

Nothing here is the product's: it only gives arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

GROUP = 8
WRONG = 0.4
MISTAKEN = 0.03
DISAGREE = 0.8


@dataclass(frozen=True, slots=True)
class Setting:
    """``rest`` is the probability with which responses are drawn on which both verifiers agree (0.8 where they do
    not); ``see`` the share of false accepts that the second one rejects; ``rate`` the false-positive rate; ``rho`` how
    much false accepts correlate within a group; ``repeats`` the share of groups whose answers have collapsed onto one
    text. ``again`` is the rest of a second draw (0: none), of the same seed or another; ``looks`` how often somebody
    looks while labels come in. ``tail`` is that of a Pareto distribution of the records of a content, ``uneven`` of one
    of the sizes of groups (0: one record, groups of eight); ``labellers`` label each response, and are wrong in a share
    ``mistaken``; ``by`` is the number of slices, whose rates go from half of the whole's to half as much again.
    """

    rest: float = 0.02
    see: float = 0.7
    rate: float = 0.02
    rho: float = 0.3
    size: int = 5_000
    repeats: float = 0.0
    again: float = 0.0
    same_seed: bool = True
    looks: int = 1
    tail: float = 0.0
    uneven: float = 0.0
    labellers: int = 1
    mistaken: float = 0.0
    by: int = 0

    @property
    def rates(self) -> Floats:
        """Of the slices, or of the whole."""
        return self.rate * np.linspace(0.5, 1.5, self.by) if self.by else np.array([self.rate])

    @property
    def name(self) -> str:
        base = Setting()
        words = [f"rest {self.rest:g}, see {self.see:g}, rate {self.rate:g}"]
        words += [f"rho {self.rho:g}"] if self.rho != base.rho else []
        words += [f"N {self.size}"] if self.size != base.size else []
        words += [f"repeats {self.repeats:g}"] if self.repeats else []
        words += [f"then {self.again:g}, {'same' if self.same_seed else 'other'} seed"] if self.again else []
        words += [f"{self.looks} looks"] if self.looks > 1 else []
        words += [f"records Pareto {self.tail:g}"] if self.tail else []
        words += [f"groups Pareto {self.uneven:g}"] if self.uneven else []
        words += [f"{self.labellers} labellers {self.mistaken:.0%} wrong"] if self.mistaken else []
        words += [f"by {self.by} slices"] if self.by else []
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Run:
    """N contents with the number of their records, whether these are right, what both verifiers say, the group, and
    the slice."""

    records: Floats
    right: Bools
    accepted: Bools
    second: Bools
    group: Ints
    slice: Ints

    @property
    def rate(self) -> float:
        """The false-positive rate of this run's records."""
        return self.rate_of(np.ones(len(self.right), dtype=np.bool_))

    def rate_of(self, some: Bools) -> float:
        wrong = self.records * (~self.right & some)
        return float((wrong * self.accepted).sum() / max(wrong.sum(), 1e-12))


@dataclass(frozen=True, slots=True)
class Draw:
    """Which contents were drawn, and ``first`` and ``second``: with which probability by each of two draws (0: by no
    second one). ``order`` is in which labels come; ``blamed`` how many of a content's labels call it wrong."""

    drawn: Bools
    first: Floats
    second: Floats
    order: Ints
    blamed: Floats


def run_of(setting: Setting, chance: np.random.Generator) -> Run:
    groups = setting.size // GROUP
    sizes = np.full(groups, GROUP)
    if setting.uneven:
        sizes = np.minimum(np.floor(chance.pareto(setting.uneven, groups) + 1), setting.size).astype(np.int64)
    group = np.repeat(np.arange(groups), sizes)
    slice_ = group % max(setting.by, 1)
    easy = chance.beta(1.2, 0.8, groups)
    right = chance.random(len(group)) < (easy * (1 - WRONG) / 0.6)[group]
    rate = setting.rates[np.arange(groups) % max(setting.by, 1)]
    if setting.rho > 0:
        alike = (1 - setting.rho) / setting.rho
        false = chance.beta(rate * alike, (1 - rate) * alike, groups)[group]
    else:
        false = rate[group]
    accepted = np.where(right, chance.random(len(group)) >= 0.05, chance.random(len(group)) < false)
    seen = chance.random(len(group)) < np.where(right & ~accepted, 0.8, np.where(~right & accepted, setting.see, 0.0))
    mistaken = chance.random(len(group)) < MISTAKEN
    second = np.where(seen | mistaken, ~accepted, accepted)
    records = np.ones(len(group))
    if setting.tail:
        records = np.floor(chance.pareto(setting.tail, len(group)) + 1)
    kept = np.ones(len(group), dtype=np.bool_)
    if setting.repeats:
        copies = np.where(chance.random(groups) < setting.repeats, chance.integers(2, GROUP + 1, groups), 1)
        place = np.arange(len(group)) % GROUP
        records = np.where(place == 0, copies[group], 1.0)
        kept = (place == 0) | (place >= copies[group])
    return Run(records[kept], right[kept], accepted[kept], second[kept], group[kept], slice_[kept])


def draw_of(setting: Setting, run: Run, chance: np.random.Generator) -> Draw:
    differ = run.accepted != run.second
    first = np.where(differ, DISAGREE, setting.rest)
    second = np.where(differ, DISAGREE, setting.again) if setting.again else np.zeros(len(first))
    random = chance.random(len(first))
    other = random if setting.same_seed else chance.random(len(first))
    drawn = (random < first) | (other < second)
    order = chance.permutation(np.flatnonzero(drawn))
    blamed: Floats = (setting.labellers * (1 - run.right)).astype(np.float64)
    if setting.mistaken:
        says = np.where(run.right, setting.mistaken, 1 - setting.mistaken)
        blamed = chance.binomial(setting.labellers, says).astype(np.float64)
    return Draw(drawn, first, second, order, blamed)


def settings(form: str) -> list[Setting]:
    """The cells: a grid of rest, see and rate, and one thing changed at a time around the documentation's example."""
    rests, sees, rates = (0.005, 0.02, 0.1, 0.3, 1.0), (0.2, 0.5, 0.7, 1.0), (0.005, 0.02, 0.2)
    base = Setting()
    more = [replace(base, rho=rho, rest=rest) for rho in (0.0, 0.6) for rest in (0.02, 0.3, 1.0)]
    more += [replace(base, size=size, rest=rest) for size in (1_000, 20_000) for rest in (0.02, 0.3)]
    more += [replace(base, repeats=share, rest=rest) for share in (0.3, 0.9) for rest in (0.02, 0.1, 0.5, 1.0)]
    more += [replace(base, again=0.08, same_seed=same, see=see) for same in (True, False) for see in (0.5, 0.9)]
    more += [replace(base, looks=20, rest=rest, see=see) for rest in (0.1, 0.3, 1.0) for see in (0.5, 0.9)]
    heavy = [replace(base, tail=0.8, rate=rate, rest=rest) for rate in (0.02, 0.2) for rest in (0.1, 1.0)]
    heavy += [
        replace(base, uneven=tail, rho=rho, rest=rest)
        for tail, rho in ((0.8, 0.3), (0.8, 0.9), (1.5, 0.9))
        for rest in (0.1, 1.0)
    ]
    three = replace(base, labellers=3, mistaken=0.1)
    voted = [replace(three, rate=rate, rest=rest) for rate in (0.02, 0.2) for rest in (0.1, 1.0)]
    voted += [replace(base, labellers=labellers, mistaken=0.1, rest=1.0) for labellers in (2, 5)]
    voted += [replace(base, labellers=3, mistaken=wrong, rest=1.0) for wrong in (0.02, 0.2)]
    sliced = [replace(base, by=5, rate=rate, rest=rest) for rate in (0.02, 0.2) for rest in (0.02, 0.1, 1.0)]
    sliced += [replace(base, by=20, size=20_000, rest=0.1)]
    if form == "short":
        usual = [base, replace(base, see=0.2), replace(base, rest=1.0), more[-1], more[12], more[16]]
        return [*usual, heavy[1], heavy[5], replace(three, size=1_000, rest=1.0), sliced[1]]
    grid = [replace(base, rest=rest, see=see, rate=rate) for rest in rests for see in sees for rate in rates]
    return grid + more + heavy + voted + sliced
