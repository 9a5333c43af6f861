"""False positives and false negatives among the labels, and whole groups of right answers that were rejected.

A reference that is wrong rejects every right answer to its prompt, where a verifier's own errors are scattered: so
groups are counted apart in which a response was labelled right and none was accepted. An answer that is given once in
its group tells nothing of that: where few answers are right, one error of the verifier's rejects all of them.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.stream import RecordStream
from audits.statistics.arrays import Bools, Floats, Ints, codes
from audits.statistics.sequential import Crossing, detect_above, detect_rise
from trueward.wire.watch import SignalName, Signals

LEAST = 20
"""Truly wrong (or right) labelled responses below which nothing is said."""
LEAST_GROUP = 3
"""Verdicts of a group below which it says nothing of its reference."""
OF_LIMIT = 0.25


def audited_rates(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    flags: list[Flag] = []
    rates: tuple[tuple[SignalName, float], ...] = (("false_positives", 0.0), ("false_negatives", 1.0))
    for signal, truth in rates:
        threshold = getattr(signals, signal)
        if threshold is not None:
            limits = (threshold.rise, threshold.limit)
            flags += _raise_flags(watched, signal, error_columns(watched, truth), limits, threshold.labels)
    if signals.wrong_references is not None:
        limits = (signals.wrong_references.rise, signals.wrong_references.limit)
        flags += _raise_flags(watched, "wrong_references", reference_columns(watched), limits, np.inf, 0.75)
    return flags


def latest(stream: RecordStream, labels: int) -> RecordStream:
    """The records with the latest labels, in the stream's order."""
    return stream.part(np.flatnonzero(stream.labelled)[-labels:])


Columns = tuple[Bools, Bools, Bools, Bools]
"""Hits and trials of the stream's records, and of the named base's."""


def error_columns(watched: WatchedWindows, truth: float) -> Columns:
    """``truth``: the label of those whose errors are counted."""
    both = [(one.accepted != truth, (one.right == truth) & ~np.isnan(one.accepted)) for one in _both(watched)]
    return (*both[0], *both[1])


def reference_columns(watched: WatchedWindows) -> Columns:
    """The first response labelled right of each group with enough verdicts, among those whose answer another one gave
    too or is not known; of groups without an acceptance."""
    found: list[Bools] = []
    for one in _both(watched):
        group = codes("group", one.group) if len(one) else np.zeros(0, np.int64)
        judged = ~np.isnan(one.accepted)
        size = np.bincount(group, judged)
        accepted = np.bincount(group, judged & (one.accepted == 1))
        there = np.flatnonzero((one.right == 1) & judged & (size[group] >= LEAST_GROUP))
        there = there[_given_again(one, group, judged, there)]
        first = np.zeros(len(one), bool)
        first[there[np.unique(group[there], return_index=True)[1]]] = True
        found += [accepted[group] == 0, first]
    return (found[0], found[1], found[2], found[3])


def _given_again(stream: RecordStream, group: Ints, judged: Bools, places: Ints) -> Bools:
    """Whether another judged response of its group has the answer of the one at each place, or that is unknown."""
    given = Counter(zip(group[judged].tolist(), stream.answer[judged].tolist(), strict=True))
    own = zip(group[places].tolist(), stream.answer[places].tolist(), strict=True)
    return np.array([answer is None or given[of, answer] > 1 for of, answer in own], dtype=bool)


def _both(watched: WatchedWindows) -> tuple[RecordStream, RecordStream]:
    return watched.stream, watched.base if watched.named else watched.base.part(slice(0, 0))


def _raise_flags(
    watched: WatchedWindows,
    signal: SignalName,
    columns: Columns,
    limits: tuple[float, float | None],
    most: float,
    of_limit: float = OF_LIMIT,
) -> list[Flag]:
    """``of_limit``: of the signal's chance of a false alarm the part of its limit."""
    hits, trials, *base = columns
    rise, limit = limits
    counts = watched.counts(hits, trials)
    prior = watched.base_totals(base[0], base[1]) if watched.named else None
    chance = watched.each * (1 - (0 if limit is None else of_limit))
    flags = []
    crossing = detect_rise(counts, chance, first=watched.first, prior=prior, rise=rise, most=most, least=LEAST)
    if crossing is not None:
        compared = f"before {crossing.before:.1%}{watched.where(crossing)}"
        detail = f"{_labels(counts.rows, crossing)}, {compared}{_meaning(signal)}"
        flags.append(Flag(signal, "rise", None, crossing.after, crossing.before + rise, detail, crossing))
    crossing = None if limit is None else detect_above(counts, watched.each * of_limit, limit, most=most)
    if crossing is not None:
        detail = f"{_labels(counts.rows, crossing)}, surely above {limit:.1%}{_meaning(signal)}"
        flags.append(Flag(signal, "limit", None, crossing.after, limit, detail, crossing))
    return flags


def _labels(rows: Floats, crossing: Crossing) -> str:
    own = rows if crossing.stratum is None else rows[[crossing.stratum]]
    count = int(own[:, 1, crossing.since : crossing.last + 1].sum())
    return f"{crossing.after:.1%} of {count} labelled responses"


def _meaning(signal: SignalName) -> str:
    if signal != "wrong_references":
        return ""
    return ": one of each group with a right answer; of these groups all was rejected, as by a wrong reference"
