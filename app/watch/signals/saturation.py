"""Recipes that need no label: from the saturation step on the reward has nothing to teach."""

from __future__ import annotations

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.signals.collapse import mean_reward
from audits.statistics.collapse import saturation_step
from trueward.wire.watch import Signals


def saturation(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.saturation
    if threshold is None or not watched.kind.unsupervised:
        return []
    paid = [mean_reward(watched, window.part) for window in watched.windows]
    known = [(place, one) for place, one in enumerate(paid) if one is not None]
    at = saturation_step([one for _, one in known], 1.0, threshold.share) if known else None
    if at is None:
        return []
    place, value = known[at]
    detail = f"the mean reward is {value:.1%} of its ceiling: there is nothing left to learn from it"
    return [Flag("saturation", "ceiling", place, value, threshold.share, detail)]
