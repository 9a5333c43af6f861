"""The reward rises, audited accuracy does not: the policy found something else that pays.

Both are compared with the base, as shares: rewards of their range, accuracy of the labelled responses; each with as
many records of the base as have the same mix of data sources, and only in sources that the window has. The gap between
the two rises must be surely positive (both intervals combined as Newcombe's difference combines them).
"""

from __future__ import annotations

import math

import numpy as np

from app.watch.signal_input import Counted, Flag, WatchedWindows, count_hits, design_effect, of_range
from app.watch.signals.audited_rates import LEAST, latest
from app.watch.strata import match_mix
from app.watch.stream import RecordStream
from audits.statistics.proportion import Interval, difference
from trueward.wire.watch import Signals


def reward_without_accuracy(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.reward_without_accuracy
    labelled = watched.base.part(watched.base.labelled)
    if threshold is None or len(labelled) < LEAST:
        return []
    flags = []
    for place, window in enumerate(watched.windows):
        audited = latest(watched.until(place), threshold.labels)
        # a policy that has changed since the labels were given is not known by them
        recent = audited.part(audited.step >= _oldest(watched, place))
        before, current = match_mix(watched.base, window.part)
        recent = recent.part(np.isin(recent.stratum, current.stratum))
        known, recent = match_mix(labelled, recent)
        if min(len(recent), len(known)) < LEAST:
            continue
        paid, now = _paid(watched, before), _paid(watched, current)
        right, gold = count_hits(known.right == 1, known), count_hits(recent.right == 1, recent)
        if not now[1] or not paid[1]:
            continue
        reward, accuracy = _rise(now, paid), _rise(gold, right)
        if reward < threshold.rise or accuracy > threshold.slack:
            continue
        higher, truer = difference(now, paid, watched.level), difference(gold, right, watched.level)
        if _surely_apart(reward, higher, accuracy, truer):
            detail = (
                f"the mean reward rose by {reward:.0%} of its range, audited accuracy changed by {accuracy:+.0%} "
                f"({len(recent)} labels)"
            )
            flags.append(Flag("reward_without_accuracy", "gap", place, reward - accuracy, threshold.rise, detail))
    return flags


def _oldest(watched: WatchedWindows, place: int) -> int:
    """The first step of the windows whose labels speak for this one: as many as the base has."""
    back = max(place + 1 - max(len(watched.before), 4), 0)
    return int(watched.windows[back].part.step.min())


def _paid(watched: WatchedWindows, stream: RecordStream) -> Counted:
    """Rewards as shares of their range: their sum and number, worth that many independent ones."""
    shares = of_range(stream.reward, *watched.range)
    if not len(shares):
        return 0.0, 0.0
    there = stream.part(~np.isnan(stream.reward))
    effect = design_effect(shares > np.median(shares) if np.median(shares) < 1 else shares == 1, there)
    return float(shares.sum()) / effect, len(shares) / effect


def _rise(now: Counted, before: Counted) -> float:
    return now[0] / now[1] - before[0] / before[1]


def _surely_apart(reward: float, higher: Interval, accuracy: float, truer: Interval) -> bool:
    return reward - accuracy > math.hypot(reward - higher.low, truer.high - accuracy)
