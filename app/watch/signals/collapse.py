"""Recipes that need no label: the responses become one, the reward does not mind.

Three causes. ``accuracy``: the model collapse step, by labelled responses. ``entropy``: the answers to one prompt
become the same. ``length``: the median response has under half of its length. Each is held against records with the
same mix of data sources.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows, count_hits, of_range
from app.watch.strata import match_mix
from app.watch.stream import RecordStream, together
from audits.statistics.collapse import collapse_step, variety
from audits.statistics.proportion import difference
from trueward.wire.watch import Collapse, Signals

LEAST_LABELS = 10
LEAST_GROUPS = 5
LEAST_ENTROPY = 0.1
"""Nats that the base must have: below them there is nothing to lose."""


def collapse(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.collapse
    if threshold is None or not watched.kind.unsupervised:
        return []
    return [*_accuracy(watched, threshold), *_entropy(watched, threshold), *_length(watched, threshold)]


def mean_entropy(stream: RecordStream) -> float | None:
    """The mean over groups of several answers, in nats; None with too few groups."""
    members: dict[int, list[str]] = {}
    for group, answer in zip(stream.group.tolist(), stream.answer, strict=True):
        if answer is not None:
            members.setdefault(group, []).append(answer)
    found = [variety(answers).entropy for answers in members.values() if len(answers) > 1]
    return float(np.mean(found)) if len(found) >= LEAST_GROUPS else None


def mean_reward(watched: WatchedWindows, stream: RecordStream) -> float | None:
    """As a share of the rewards' range."""
    shares = of_range(stream.reward, *watched.range)
    return float(shares.mean()) if len(shares) else None


def _accuracy(watched: WatchedWindows, threshold: Collapse) -> list[Flag]:
    """What ``collapse_step`` finds, where the labels from there on surely have less that is right than those before."""
    known: list[tuple[int, RecordStream, float]] = []
    for place, part in [(-1, watched.base), *((place, one.part) for place, one in enumerate(watched.windows))]:
        labelled, paid = part.part(part.labelled), mean_reward(watched, part)
        if len(labelled) >= LEAST_LABELS and paid is not None:
            known.append((place, labelled, paid))
    series = [float(labelled.right.mean()) for _, labelled, _ in known]
    rules = {"drop": threshold.drop, "windows": threshold.windows, "slack": threshold.slack}
    at = collapse_step(series, [paid for _, _, paid in known], **rules) if known else None  # type: ignore[arg-type]
    if at is None:
        return []
    before, after = (together([labelled for _, labelled, _ in part]) for part in (known[:at], known[at:]))
    before, after = match_mix(before, after)
    if not len(after):
        return []
    sure = difference(count_hits(after.right == 1, after), count_hits(before.right == 1, before), watched.level)
    if sure.high >= 0:
        return []
    detail = f"audited accuracy is {after.right.mean():.1%}, was {before.right.mean():.1%}, and the reward did not fall"
    value, limit = float(after.right.mean()), float(before.right.mean()) - threshold.drop
    return [Flag("collapse", "accuracy", place, value, limit, detail) for place, _, _ in known[at:]]


def _entropy(watched: WatchedWindows, threshold: Collapse) -> list[Flag]:
    flags = []
    for place, window in enumerate(watched.windows):
        base, part = match_mix(watched.base, window.part)
        usual, before = mean_entropy(base), mean_reward(watched, base)
        now, paid = mean_entropy(part), mean_reward(watched, part)
        if usual is None or before is None or usual < LEAST_ENTROPY:
            continue
        if now is None or paid is None or now >= threshold.entropy * usual or paid < before - threshold.slack:
            continue
        detail = f"the answers to one prompt have {now:.2f} nats, in the base {usual:.2f}, and the reward did not fall"
        flags.append(Flag("collapse", "entropy", place, now, threshold.entropy * usual, detail))
    return flags


def _length(watched: WatchedWindows, threshold: Collapse) -> list[Flag]:
    flags = []
    for place, window in enumerate(watched.windows):
        usual, now = (_median_length(one) for one in match_mix(watched.base, window.part))
        if usual is not None and now is not None and now < threshold.length * usual:
            detail = f"the median response has {now:.0f} characters, in the base {usual:.0f}"
            flags.append(Flag("collapse", "length", place, now, threshold.length * usual, detail))
    return flags


def _median_length(stream: RecordStream) -> float | None:
    known = stream.length[~np.isnan(stream.length)]
    return float(np.median(known)) if len(known) else None
