"""Which faults would be found in this run, and how soon: with steps as large, and as often labelled, as they are."""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import WatchedWindows
from app.watch.signals.audited_rates import LEAST, error_columns, reference_columns
from app.watch.signals.drift import drifting
from audits.statistics.arrays import Bools
from audits.statistics.sequential import steps_to_rise
from audits.statistics.trends import Means, steps_to_shift
from trueward.wire.watch import Power, SignalName, Signals

RECENT = 32
"""Steps by which the size of a step is told."""
LENGTHS = 1.5
ERRORS: tuple[tuple[SignalName, float, str], ...] = (
    ("false_positives", 0.0, "10% more of the wrong responses are accepted"),
    ("false_negatives", 1.0, "10% more of the right responses are rejected"),
)
CAUSES: tuple[tuple[SignalName, float, str], ...] = (
    ("missing", 0.02, "2% more of the scores are missing"),
    ("invalid", 0.1, "10% more of the responses are invalid"),
)


def power(watched: WatchedWindows, signals: Signals) -> list[Power]:
    """One for each rate and mean that is tested; none before the run has a base."""
    if watched.first >= len(watched.ticks):
        return []
    found = []
    every = np.ones(len(watched.stream), bool)
    for signal, truth, words in ERRORS:
        if getattr(signals, signal) is not None:
            found.append(_rise(watched, signal, words, 0.1, *error_columns(watched, truth)[:2]))
    if signals.wrong_references is not None:
        columns = reference_columns(watched)[:2]
        words = "8% of the prompts have a wrong reference"
        found.append(_rise(watched, "wrong_references", words, 0.08, *columns, limit=signals.wrong_references.limit))
    for signal, size, words in CAUSES:
        if getattr(signals, signal) is not None:
            hits = np.array([cause is not None and cause.startswith(signal) for cause in watched.stream.cause], bool)
            found.append(_rise(watched, signal, words, size, hits, every))
    if signals.score_drift is not None:
        name = next(iter(sorted(watched.stream.scores)), "")
        low, high = watched.range
        words = f"the mean of {f'scores of {name}' if name else 'rewards'} jumps by a tenth of the rewards' range"
        means = watched.ticks.means(drifting(watched, "score_drift", name))
        found.append(_shift(watched, "score_drift", words, (high - low) / 10, means))
    if signals.length_drift is not None:
        means = watched.ticks.means(drifting(watched, "length_drift", "length"))
        words = f"lengths jump to {LENGTHS:g} times what they were"
        found.append(_shift(watched, "length_drift", words, float(np.log(LENGTHS)), means))
    return found


def _rise(
    watched: WatchedWindows,
    signal: SignalName,
    words: str,
    size: float,
    hits: Bools,
    trials: Bools,
    limit: float | None = None,
) -> Power:
    counts = watched.counts(hits, trials)
    before = counts.totals().sum(axis=0)
    per_step = float(counts.rows[:, 1, -RECENT:].sum(axis=0).mean())
    if before[1] < LEAST or not per_step:
        return Power(signal=signal, fault=words, steps=None)
    rate = min(before[0] / before[1] + size, 1.0)
    at = len(watched.ticks)
    tries = [steps_to_rise(before, per_step, rate, watched.each / 2, at=at)]
    if limit is not None:
        tries.append(steps_to_rise(before, per_step, rate, watched.each / 2, at=at, limit=limit))
    return Power(signal=signal, fault=words, steps=min((one for one in tries if one is not None), default=None))


def _shift(watched: WatchedWindows, signal: SignalName, words: str, size: float, means: Means) -> Power:
    return Power(signal=signal, fault=words, steps=steps_to_shift(means, size, watched.each))
