"""False positives and false negatives among the latest labels, against those of the base and a limit (Wilson)."""

from __future__ import annotations

import numpy as np

from app.audit.statistics.proportion import difference, wilson
from app.watch.stream import Stream
from app.watch.watched import Flag, Watched, counted
from trueward.watch import AuditedRate, SignalName, Signals

LEAST = 20
"""Truly wrong (or right) labelled responses below which nothing is said."""


def audited_rates(watched: Watched, signals: Signals) -> list[Flag]:
    flags: list[Flag] = []
    if signals.false_positives is not None:
        flags += _rate(watched, "false_positives", 0.0, signals.false_positives)
    if signals.false_negatives is not None:
        flags += _rate(watched, "false_negatives", 1.0, signals.false_negatives)
    return flags


def latest(stream: Stream, labels: int) -> Stream:
    """The records with the latest labels, in the stream's order."""
    return stream.part(np.flatnonzero(stream.labelled)[-labels:])


def _rate(watched: Watched, signal: SignalName, truth: float, threshold: AuditedRate) -> list[Flag]:
    """``truth``: the label of those whose errors are counted."""
    base = _judged(watched.base, truth)
    flags = []
    for place, window in enumerate(watched.windows):
        if not window.part.labelled.any():
            continue
        now = _judged(latest(watched.until(place), threshold.labels), truth)
        if len(now) < LEAST:
            continue
        errors = now.accepted != truth
        share, worth = float(np.mean(errors)), counted(errors, now)
        if threshold.limit is not None and wilson(*worth, watched.level).low > threshold.limit:
            detail = f"{share:.1%} of {len(now)} labelled responses, surely above {threshold.limit:.1%}"
            flags.append(Flag(signal, "limit", place, share, threshold.limit, detail))
        if len(base) < LEAST:
            continue
        wrong = base.accepted != truth
        usual = float(np.mean(wrong))
        surely = share - usual > threshold.rise and difference(worth, counted(wrong, base), watched.level).low > 0
        if surely:
            detail = f"{share:.1%} of {len(now)} labelled responses, in the base {usual:.1%} of {len(base)}"
            flags.append(Flag(signal, "rise", place, share, usual + threshold.rise, detail))
    return flags


def _judged(stream: Stream, truth: float) -> Stream:
    """The records of that label on which there is a verdict."""
    return stream.part((stream.right == truth) & ~np.isnan(stream.accepted))
