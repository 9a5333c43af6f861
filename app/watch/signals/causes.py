"""Shares of ``invalid`` and of missing scores, by cause: where a policy that hangs or breaks the verifier shows.

A cause that begins in the middle of a run is found by its rise, one that was there from the start by the limit.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.stream import RecordStream
from audits.statistics.arrays import Bools
from audits.statistics.betting import detect_mean_above
from audits.statistics.sequential import Crossing, detect_above, detect_rise, part
from trueward.wire.watch import ShareRise, SignalName, Signals

ANY = 0.25
"""Of a signal's chance of a false alarm the part of all causes together; the limit has as much, single causes the
rest."""
MOSTLY = 0.5
"""A limit above which the records without the cause are the rare ones: then groups are counted, not records."""


def causes(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    """Causes that have more of the records than they had, and kinds that have more than their limit."""
    flags: list[Flag] = []
    kinds: tuple[tuple[SignalName, ShareRise | None], ...] = (
        ("invalid", signals.invalid),
        ("missing", signals.missing),
    )
    for kind, threshold in kinds:
        if threshold is not None:
            flags += _of_kind(watched, kind, threshold)
    return flags


def cause_codes(stream: RecordStream, kind: str) -> list[str]:
    """Causes of that kind in the order in which they appeared."""
    named = dict.fromkeys(cause for cause in stream.cause if cause is not None and cause.startswith(kind))
    return list(named)


def _of_kind(watched: WatchedWindows, kind: SignalName, threshold: ShareRise) -> list[Flag]:
    seen = cause_codes(watched.stream, kind)
    single = watched.each * (1 - ANY * (1 if threshold.limit is None else 2))
    flags = []
    for order, cause in enumerate(seen):
        crossing = _risen(watched, np.equal(watched.stream.cause, cause), single * part(order), threshold)
        if crossing is not None:
            flags.append(_flag(watched, kind, cause.partition(": ")[2], crossing, threshold, "rise"))
    of_kind = np.isin(watched.stream.cause.astype(str), seen)
    found = {flag.cause for flag in flags}
    for how, crossing in (
        ("limit", _above(watched, of_kind, threshold)),
        ("rise", _risen(watched, of_kind, watched.each * ANY, threshold) if len(seen) > 1 else None),
    ):
        if crossing is not None and (code := _commonest(watched, kind, crossing)) not in found:
            found.add(code)
            flags.append(_flag(watched, kind, code, crossing, threshold, how))
    return flags


def _risen(watched: WatchedWindows, hits: Bools, chance: float, threshold: ShareRise) -> Crossing | None:
    every = np.ones(len(watched.stream), bool)
    prior = None
    if watched.named:
        same = np.isin(watched.base.cause.astype(str), np.unique(watched.stream.cause[hits].astype(str)))
        prior = watched.base_totals(same, np.ones(len(watched.base), bool))
    counts = watched.counts(hits, every)
    return detect_rise(counts, chance, first=watched.first, prior=prior, rise=threshold.rise)


def _above(watched: WatchedWindows, hits: Bools, threshold: ShareRise) -> Crossing | None:
    limit, chance = threshold.limit, watched.each * ANY
    if limit is None:
        return None
    if limit > MOSTLY:
        return detect_mean_above(*watched.ticks.shares(hits), len(watched.ticks), chance, limit)
    return detect_above(watched.counts(hits, np.ones(len(watched.stream), bool)), chance, limit)


def _commonest(watched: WatchedWindows, kind: str, crossing: Crossing) -> str:
    starts = watched.ticks.starts
    shown = watched.stream.cause[starts[crossing.since] : starts[crossing.last + 1]]
    counts = Counter(cause for cause in shown if cause is not None and cause.startswith(kind))
    return str(counts.most_common(1)[0][0]).partition(": ")[2]


def _flag(
    watched: WatchedWindows, kind: SignalName, code: str, crossing: Crossing, threshold: ShareRise, how: str
) -> Flag:
    share = f"{crossing.after:.1%} of the records"
    if how == "limit":
        limit = threshold.limit
        detail = f"{kind}, mostly {code}, is {share}, surely above {crossing.before:.1%}"
    else:
        limit = crossing.before + threshold.rise
        detail = f"{code} is {share}, before {crossing.before:.1%}{watched.where(crossing)}"
    return Flag(kind, code, None, crossing.after, limit, detail, crossing)
