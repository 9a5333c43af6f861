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
    looks while labels come in.
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

    @property
    def name(self) -> str:
        base = Setting()
        words = [f"rest {self.rest:g}, see {self.see:g}, rate {self.rate:g}"]
        words += [f"rho {self.rho:g}"] if self.rho != base.rho else []
        words += [f"N {self.size}"] if self.size != base.size else []
        words += [f"repeats {self.repeats:g}"] if self.repeats else []
        words += [f"then {self.again:g}, {'same' if self.same_seed else 'other'} seed"] if self.again else []
        words += [f"{self.looks} looks"] if self.looks > 1 else []
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Run:
    """N contents with the number of their records, whether these are right, what both verifiers say, and the group."""

    records: Floats
    right: Bools
    accepted: Bools
    second: Bools
    group: Ints

    @property
    def rate(self) -> float:
        """The false-positive rate of this run's records."""
        wrong = self.records * ~self.right
        return float((wrong * self.accepted).sum() / max(wrong.sum(), 1e-12))


@dataclass(frozen=True, slots=True)
class Draw:
    """Which contents were drawn, and ``first`` and ``second``: with which probability by each of two draws (0: by no
    second one). ``order`` is in which labels come."""

    drawn: Bools
    first: Floats
    second: Floats
    order: Ints


def run_of(setting: Setting, chance: np.random.Generator) -> Run:
    groups = setting.size // GROUP
    group = np.repeat(np.arange(groups), GROUP)
    easy = chance.beta(1.2, 0.8, groups)
    right = chance.random(len(group)) < (easy * (1 - WRONG) / 0.6)[group]
    if setting.rho > 0:
        alike = (1 - setting.rho) / setting.rho
        false = chance.beta(setting.rate * alike, (1 - setting.rate) * alike, groups)[group]
    else:
        false = np.full(len(group), setting.rate)
    accepted = np.where(right, chance.random(len(group)) >= 0.05, chance.random(len(group)) < false)
    seen = chance.random(len(group)) < np.where(right & ~accepted, 0.8, np.where(~right & accepted, setting.see, 0.0))
    mistaken = chance.random(len(group)) < MISTAKEN
    second = np.where(seen | mistaken, ~accepted, accepted)
    records = np.ones(len(group))
    kept = np.ones(len(group), dtype=np.bool_)
    if setting.repeats:
        copies = np.where(chance.random(groups) < setting.repeats, chance.integers(2, GROUP + 1, groups), 1)
        place = np.arange(len(group)) % GROUP
        records = np.where(place == 0, copies[group], 1.0)
        kept = (place == 0) | (place >= copies[group])
    return Run(records[kept], right[kept], accepted[kept], second[kept], group[kept])


def draw_of(setting: Setting, run: Run, chance: np.random.Generator) -> Draw:
    differ = run.accepted != run.second
    first = np.where(differ, DISAGREE, setting.rest)
    second = np.where(differ, DISAGREE, setting.again) if setting.again else np.zeros(len(first))
    random = chance.random(len(first))
    other = random if setting.same_seed else chance.random(len(first))
    drawn = (random < first) | (other < second)
    return Draw(drawn, first, second, chance.permutation(np.flatnonzero(drawn)))


def settings(form: str) -> list[Setting]:
    """The cells: a grid of rest, see and rate, and one thing changed at a time around the documentation's example."""
    rests, sees, rates = (0.005, 0.02, 0.1, 0.3, 1.0), (0.2, 0.5, 0.7, 1.0), (0.005, 0.02, 0.2)
    base = Setting()
    more = [replace(base, rho=rho, rest=rest) for rho in (0.0, 0.6) for rest in (0.02, 0.3, 1.0)]
    more += [replace(base, size=size, rest=rest) for size in (1_000, 20_000) for rest in (0.02, 0.3)]
    more += [replace(base, repeats=share, rest=rest) for share in (0.3, 0.9) for rest in (0.02, 0.1, 0.5, 1.0)]
    more += [replace(base, again=0.08, same_seed=same, see=see) for same in (True, False) for see in (0.5, 0.9)]
    more += [replace(base, looks=20, rest=rest, see=see) for rest in (0.1, 0.3, 1.0) for see in (0.5, 0.9)]
    if form == "short":
        return [base, replace(base, see=0.2), replace(base, rest=1.0), more[-1], more[12], more[16]]
    grid = [replace(base, rest=rest, see=see, rate=rate) for rest in rests for see in sees for rate in rates]
    return grid + more
