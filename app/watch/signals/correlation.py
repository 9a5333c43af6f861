"""Whether the reward still follows the gold labels, checkpoint by checkpoint (Correlated Proxies, arXiv 2403.03185).

A correlation depends on how many labels are right: with 3% false positives and 6% false negatives it is 0.91 where half
of the responses are right and 0.76 where nine in ten are. So the base is taken with the same share of right ones.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.signals.audited_rates import LEAST, latest
from app.watch.strata import match_mix
from app.watch.stream import RecordStream
from audits.statistics.correlation import Correlation, correlation
from audits.statistics.proportion import Interval
from trueward.wire.watch import Signals


def low_correlation(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    """Windows whose latest labels have an interval below that of the base's labels."""
    threshold = signals.correlation
    if threshold is None:
        return []
    labelled = watched.base.part(watched.base.labelled)
    flags = []
    for place, window in enumerate(watched.windows):
        if not window.part.labelled.any():
            continue
        before, recent = match_mix(labelled, latest(watched.until(place), threshold.labels), right=True)
        # the intervals are worth their resamples only where the estimate itself is lower
        guess, usual = (_of(one, threshold.level, replicates=1) for one in (recent, before))
        if guess.value is None or usual.value is None or guess.value >= usual.value:
            continue
        base = _cautious(_of(before, threshold.level), before, threshold.level)
        if base.interval is None or guess.value >= base.interval.low:
            continue
        now = _of(recent, threshold.level)
        if now.is_below(base):
            detail = f"reward and label correlate by {now.value:.2f}, in the base by {base.value:.2f}"
            flags.append(Flag("correlation", "base", place, now.value or 0.0, base.interval.low, detail))
    return flags


def _cautious(base: Correlation, stream: RecordStream, level: float) -> Correlation:
    """Where no label disagrees, resamples have none either, and an interval of no width would say that none ever will:
    then the lower end is that with as many as may have been missed."""
    if base.value is None or base.interval is None or base.interval.low < base.value:
        return base
    groups = len(np.unique(stream.group))
    missed = 1 - ((1 - level) / 2) ** (1 / groups)
    higher = float(np.mean(stream.gold > stream.gold.mean()))
    low = base.value - missed / (2 * higher * (1 - higher))
    return base._replace(interval=Interval(low, base.interval.high))


def _of(stream: RecordStream, level: float, replicates: int = 2000) -> Correlation:
    known = stream.part(~np.isnan(stream.reward) & ~np.isnan(stream.gold))
    if len(known) < LEAST:
        return Correlation(None, None)
    return correlation(known.reward, known.gold, known.group, level=level, replicates=replicates)
