"""Shares of ``invalid`` and of missing scores, by cause: where a policy that hangs or breaks the verifier shows."""

from __future__ import annotations

import numpy as np

from app.audit.statistics.proportion import difference
from app.watch.watched import Flag, Watched, counted
from trueward.watch import ShareRise, SignalName, Signals


def causes(watched: Watched, signals: Signals) -> list[Flag]:
    """Windows in which a cause has more of the records than in the base, surely so and by more than ``rise``."""
    seen = sorted({cause for window in watched.windows for cause in window.part.cause if cause is not None})
    flags: list[Flag] = []
    for cause in seen:
        kind, _, code = cause.partition(": ")
        if kind == "invalid" and signals.invalid is not None:
            flags += _risen(watched, "invalid", cause, code, signals.invalid)
        elif kind == "missing" and signals.missing is not None:
            flags += _risen(watched, "missing", cause, code, signals.missing)
    return flags


def _risen(watched: Watched, signal: SignalName, cause: str, code: str, threshold: ShareRise) -> list[Flag]:
    if not len(watched.base):
        return []
    before = counted(watched.base.cause == cause, watched.base)
    usual = before[0] / before[1]
    flags = []
    for place, window in enumerate(watched.windows):
        hits = window.part.cause == cause
        share = float(np.mean(hits))
        if share - usual <= threshold.rise:
            continue
        if difference(counted(hits, window.part), before, watched.level).low > 0:
            detail = f"{code} is {share:.1%} of the records, in the base {usual:.1%}"
            flags.append(Flag(signal, code, place, share, usual + threshold.rise, detail))
    return flags
