"""The best that is possible: Page's CUSUM, told what no watch can know.

It is told which series the fault shows in, the series' rates before and after, and for means each run's own expected
path; so it is the optimal test of that one change (Moustakides 1986). Its threshold is the one that the given share
of clean runs crosses. Where a fault shows in several series, or records and groups can be counted, the one that finds
it soonest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.policies import GROUP, Columns, Numbers

NEIGHBOURS = 41
MOST_RATE, LEAST_RATE = 0.999, 0.0005

Rate = Callable[[Columns], tuple[Numbers, Numbers]]
"""Hits and trials of each record."""
Mean = Callable[[Columns], tuple[Numbers, Numbers]]
"""The value of each step, and what it would be without a fault but for a constant."""
Read = tuple[Numbers, Numbers]
"""What a CUSUM needs of a run: two numbers a step."""


@dataclass(frozen=True, slots=True)
class Told:
    """Increments of each run's CUSUM, step by step: of clean runs, of faulty ones from ``start`` on."""

    clean: Sequence[Numbers]
    faulty: Sequence[Numbers]
    start: int

    def delays(self, false_alarms: float) -> list[int]:
        """Steps until each faulty run is found, the fault's first step counted; its length where it is not."""
        threshold = float(np.quantile([_path(run).max() for run in self.clean], 1 - false_alarms, method="higher"))
        return [_first(_path(run[self.start :]) > threshold) for run in self.faulty]


@dataclass(frozen=True, slots=True)
class Cusum:
    """``read`` takes from a run what ``tell`` needs of it.

    ``tell`` has that of clean runs, of faulty ones, the step at which the fault starts, and how many steps after the
    start the rate or mean after the change is taken over, from the faulty runs.
    """

    read: Callable[[Columns], Read]
    tell: Callable[[Sequence[Read], Sequence[Read], int, int], Told]


def of_rate(rate: Rate) -> Cusum:
    return Cusum(lambda run: _steps(run, *rate(run)), _tell_rate)


def of_mean(mean: Mean) -> Cusum:
    """Normal values of equal variance around their path."""
    return Cusum(mean, _tell_mean)


def _tell_rate(clean: Sequence[Read], faulty: Sequence[Read], start: int, within: int) -> Told:
    before = _pooled(clean, 0, None)
    after = _pooled(faulty, start, start + within)
    gain, loss = np.log(after / before), np.log((1 - after) / (1 - before))
    made = [[hits * gain + (trials - hits) * loss for hits, trials in runs] for runs in (clean, faulty)]
    return Told(made[0], made[1], start)


def _tell_mean(clean: Sequence[Read], faulty: Sequence[Read], start: int, within: int) -> Told:
    gaps = [[np.subtract(*one) for one in runs] for runs in (clean, faulty)]
    off = float(np.mean([np.nanmean(run) for run in gaps[0]]))
    deviation = float(np.mean([np.nanstd(run) for run in gaps[0]]))
    shift = float(np.mean([np.nanmean(run[start : start + within]) for run in gaps[1]])) - off
    # a step without a value says nothing
    made = [[np.nan_to_num(shift / deviation**2 * (run - off - shift / 2)) for run in runs] for runs in gaps]
    return Told(made[0], made[1], start)


def labelled(truth: float) -> Rate:
    """Errors among the labels of that truth."""
    return lambda run: ((run.accepted != truth) & ~_missing(run), run.labelled & (run.right == truth) & ~_missing(run))


def caused(kind: str, *, groups: bool = False) -> Rate:
    """Records with a cause that begins so, or groups that hold one."""

    def rate(run: Columns) -> tuple[Numbers, Numbers]:
        hits = _starting(run, kind)
        if not groups:
            return hits, np.ones(len(hits), bool)
        first = np.arange(len(hits)) % GROUP == 0
        return np.repeat(hits.reshape(-1, GROUP).any(axis=1), GROUP), first

    return rate


def rejected_groups(run: Columns) -> tuple[Numbers, Numbers]:
    """Groups in which a response was labelled right; those in which none was accepted."""
    right = run.labelled & (run.right == 1) & ~_missing(run)
    whole = ~((run.accepted == 1) & ~_missing(run)).reshape(-1, GROUP).any(axis=1)
    first = np.arange(len(right)) % GROUP == 0
    return np.repeat(whole, GROUP), np.repeat(right.reshape(-1, GROUP).any(axis=1), GROUP) & first


def saying(text: str) -> Rate:
    """Prompts to which that was answered."""

    def rate(run: Columns) -> tuple[Numbers, Numbers]:
        said = (run.answer == text).reshape(-1, GROUP).any(axis=1)
        return np.repeat(said, GROUP), np.arange(len(run.step)) % GROUP == 0

    return rate


def rewards(run: Columns) -> tuple[Numbers, Numbers]:
    """Around what this policy would be paid at these prompts."""
    there = ~_starting(run, "missing")
    paid = np.where(_starting(run, "invalid"), 0.0, run.accepted)
    expected = 0.03 + run.chance_right * (1 - 0.06 - 0.03)
    return _means(run, paid, there), _means(run, expected, there)


def log_lengths(run: Columns) -> tuple[Numbers, Numbers]:
    """Around those of this policy at these prompts."""
    there = np.ones(len(run.step), bool)
    return _means(run, np.log(run.length), there), _means(run, run.mean_length, there)


def distinct(run: Columns) -> tuple[Numbers, Numbers]:
    """Around the mean of the neighbouring ``NEIGHBOURS`` steps of the run as it would have been."""
    usual = _distinct(run, run.first_answer)
    kernel = np.ones(NEIGHBOURS)
    return _distinct(run, run.answer), np.convolve(usual, kernel, "same") / np.convolve(0 * usual + 1, kernel, "same")


def _distinct(run: Columns, answer: Numbers) -> Numbers:
    share = np.array([(len(set(row)) - 1) / (GROUP - 1) for row in answer.reshape(-1, GROUP)])
    return share.reshape(int(run.step.max()) + 1, -1).mean(axis=1)


def _missing(run: Columns) -> Numbers:
    return _starting(run, "missing")


def _starting(run: Columns, kind: str) -> Numbers:
    return np.array([cause is not None and cause.startswith(kind) for cause in run.cause])


def _steps(run: Columns, hits: Numbers, trials: Numbers) -> Read:
    return np.bincount(run.step, hits & trials), np.bincount(run.step, trials)


def _means(run: Columns, values: Numbers, there: Numbers) -> Numbers:
    with np.errstate(invalid="ignore"):
        return np.bincount(run.step[there], values[there]) / np.bincount(run.step[there])


def _pooled(counts: Sequence[Read], first: int, end: int | None) -> float:
    hits, trials = (sum(run[part][first:end].sum() for run in counts) for part in (0, 1))
    return float(np.clip(hits / max(trials, 1), LEAST_RATE, MOST_RATE))


def _path(increments: Numbers) -> Numbers:
    level, path = 0.0, []
    for one in increments:
        level = max(level + float(one), 0.0)
        path.append(level)
    return np.array(path)


def _first(crossed: Numbers) -> int:
    return int(np.argmax(crossed)) + 1 if crossed.any() else len(crossed)
