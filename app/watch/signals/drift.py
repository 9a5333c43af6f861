"""Scores and lengths that are distributed in another way than before: a judge that changed, a curriculum, an exploit.

A policy that learns moves its scores, too, slowly. So a window is compared with the base where both are one policy's,
or the base is another run, and else with the windows just before it: what is found is a jump. A policy's name that
stays for many steps does not say that the policy did.

After each step the mean of the latest ones is held against what the steps before foretell: found sooner, and in small
steps, but only where the mean moves.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows, design_effect
from app.watch.strata import match_mix
from app.watch.stream import NO_STEP, RecordStream
from audits.statistics.arrays import Floats
from audits.statistics.drift import psi_limit, score_psi
from audits.statistics.trends import detect_shift
from trueward.wire.watch import Drift, SignalName, Signals

BINS = 5
LEAST = 30
"""Values on either side below which nothing is said."""
LEAST_LENGTH = 0.05
"""Share of the median length below which no length has drifted: templates have lengths that differ by a digit."""


MANY_STEPS = 10
"""Steps beyond which one name is that of a run, not of one policy."""


def drift(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    flags: list[Flag] = []
    if signals.score_drift is not None:
        names = sorted(watched.stream.scores) or [""]
        for name in names:
            flags += _moved(watched, "score_drift", name, signals.score_drift)
            flags += _shifted(watched, "score_drift", name, signals.score_drift, watched.each / len(names))
    if signals.length_drift is not None:
        flags += _moved(watched, "length_drift", "length", signals.length_drift)
        flags += _shifted(watched, "length_drift", "length", signals.length_drift, watched.each)
    return flags


def drifting(watched: WatchedWindows, signal: SignalName, name: str) -> Floats:
    """The values whose mean is followed: scores, or logarithms of lengths."""
    stream = watched.stream
    if signal == "length_drift":
        return np.log1p(stream.length)
    return stream.scores[name] if name else stream.reward


def _shifted(watched: WatchedWindows, signal: SignalName, name: str, threshold: Drift, chance: float) -> list[Flag]:
    values = drifting(watched, signal, name)
    known = values[~np.isnan(values)]
    if len(known) < LEAST:
        return []
    least = threshold.shift * max(float(known.std()), 1e-9)
    means = watched.ticks.means(values)
    crossing = detect_shift(means, chance, least, first=watched.first, breaks=watched.ticks.breaks)
    if crossing is None:
        return []
    before, after = crossing.before, crossing.after
    what = f"scores of {name}" if name else "rewards"
    if signal == "length_drift":
        before, after, what = float(np.expm1(before)), float(np.expm1(after)), "lengths (geometric)"
    detail = f"the mean of {what} is {after:.4g}, where the steps before foretell {before:.4g}"
    detail += watched.where(crossing, lessons=True)
    return [Flag(signal, name or "reward", None, after, before, detail, crossing)]


def _moved(watched: WatchedWindows, signal: SignalName, name: str, threshold: Drift) -> list[Flag]:
    flags = []
    for place, window in enumerate(watched.windows):
        same = watched.named or _one_policy(watched.base, window.part)
        before = watched.base if same else watched.preceding(place)
        earlier, now = (_values(part, signal, name) for part in match_mix(before, window.part, passes=True))
        if min(len(earlier[0]), len(now[0])) < LEAST:
            continue
        moved = score_psi(earlier[0], now[0], BINS)
        if moved <= threshold.psi or (signal == "length_drift" and _alike(earlier[0], now[0])):
            continue
        limit = max(threshold.psi, _by_chance(earlier, now, watched.chance))
        if moved > limit:
            against = "the base" if same else "the windows before"
            what = "lengths" if signal == "length_drift" else f"scores of {name}" if name else "rewards"
            means = f"mean {np.mean(earlier[0]):.4g} before, {np.mean(now[0]):.4g} now"
            far = f"their distributions differ by {moved:.2f} (PSI; 0 where alike), by chance at most {limit:.2f}"
            detail = f"{what} moved against {against}: {far}; {means}"
            flags.append(Flag(signal, name or "reward", place, moved, limit, detail))
    return flags


def _values(part: RecordStream, signal: SignalName, name: str) -> tuple[Floats, RecordStream]:
    """The values that are there, with their records."""
    absent = np.full(len(part), np.nan)
    column = part.length if signal == "length_drift" else part.scores.get(name, absent) if name else part.reward
    there = ~np.isnan(column)
    return column[there], part.part(there)


def _alike(before: Floats, now: Floats) -> bool:
    quarters = np.quantile(before, (0.25, 0.5, 0.75)), np.quantile(now, (0.25, 0.5, 0.75))
    return bool((np.abs(quarters[1] - quarters[0]) <= LEAST_LENGTH * quarters[0]).all())


def _by_chance(before: tuple[Floats, RecordStream], now: tuple[Floats, RecordStream], chance: float) -> float:
    """What PSI exceeds with that chance, from as many independent values as these are worth."""
    worth = [int(max(len(one) / design_effect(one > np.median(one), of), 1)) for one, of in (before, now)]
    edges = len(np.unique(np.quantile(before[0], np.linspace(0, 1, BINS + 1)[1:-1], method="inverted_cdf")))
    distinct = len(np.unique(np.concatenate([before[0], now[0]])))
    return psi_limit(worth[0], worth[1], max(min(2 * edges + 1, distinct), 2), chance)


def _one_policy(base: RecordStream, now: RecordStream) -> bool:
    """Whether both are the same policy's, as far as is known."""
    policies = {*base.policy, *now.policy}
    if len(policies) != 1 or None in policies:
        return False
    steps = np.concatenate([base.step, now.step])
    return int(np.ptp(steps[steps != NO_STEP])) < MANY_STEPS if (steps != NO_STEP).any() else True
