"""Whether the reward still follows the gold labels, checkpoint by checkpoint (Correlated Proxies, arXiv 2403.03185)."""

from __future__ import annotations

import numpy as np

from app.watch.signals.audited_rates import LEAST, latest
from app.watch.stream import Stream
from app.watch.watched import Flag, Watched
from audits.statistics.correlation import Correlation, correlation
from trueward.watch import Signals


def correlated(watched: Watched, signals: Signals) -> list[Flag]:
    """Windows whose latest labels have an interval below that of the base's labels."""
    threshold = signals.correlation
    if threshold is None:
        return []
    base = _of(watched.base, threshold.level)
    if base.interval is None:
        return []
    flags = []
    for place, window in enumerate(watched.windows):
        if not window.part.labelled.any():
            continue
        recent = latest(watched.until(place), threshold.labels)
        guess = _of(recent, threshold.level, replicates=1)
        # the interval is worth its resamples only where the estimate itself is below
        if guess.value is None or guess.value >= base.interval.low:
            continue
        now = _of(recent, threshold.level)
        if now.fell_below(base):
            detail = f"reward and label correlate by {now.value:.2f}, in the base by {base.value:.2f}"
            flags.append(Flag("correlation", "base", place, now.value or 0.0, base.interval.low, detail))
    return flags


def _of(stream: Stream, level: float, replicates: int = 2000) -> Correlation:
    known = stream.part(~np.isnan(stream.reward) & ~np.isnan(stream.gold))
    if len(known) < LEAST:
        return Correlation(None, None)
    return correlation(known.reward, known.gold, known.group, level=level, replicates=replicates)
