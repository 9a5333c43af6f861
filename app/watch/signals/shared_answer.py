"""One answer for many prompts: a constant output that the verifier takes, or that the policy fell back on.

Short answers are shared by right: a minimum length keeps ``0`` and ``A`` out. A prompt counts for an answer once, where
it was first given, so that prompts which come again are no new evidence.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from app.watch.signals.causes import part
from app.watch.stream import Stream
from app.watch.watched import Flag, Watched
from audits.statistics.arrays import Floats
from audits.statistics.sequential import Counts, risen
from trueward.watch import SharedAnswer, Signals

SHOWN = 60
MOST_ANSWERS = 50
"""Answers that are followed: those that the most prompts share."""


def shared_answer(watched: Watched, signals: Signals) -> list[Flag]:
    threshold = signals.shared_answer
    if threshold is None:
        return []
    ticks = watched.ticks
    used = watched.stream.part(slice(0, ticks.end))
    given = _given(used, threshold)
    prompts = _prompts(used, ticks.tick, len(ticks))
    in_base, base_prompts = _of_base(watched, threshold)
    flags = []
    # in the order in which answers came to be shared, so that the chances never change afterwards
    for order, (answer, records) in enumerate(given.items()):
        hits = np.bincount(ticks.tick[records], minlength=len(ticks)).astype(np.float64)
        counts = _counts(np.minimum(hits, prompts), prompts)
        prior = _counts(np.array([in_base[answer]]), np.array([base_prompts])).totals() if watched.named else None
        chance = watched.each * part(order)
        crossing = risen(counts, chance, first=watched.first, prior=prior)
        if crossing is None:
            continue
        count = int(hits[crossing.since : crossing.last + 1].sum())
        if count < threshold.prompts or crossing.after < threshold.share:
            continue
        # the policy's own text: whatever a terminal or a log would obey is escaped
        shown = repr(answer if len(answer) <= SHOWN else answer[:SHOWN] + "...")[1:-1]
        of = int(prompts[crossing.since : crossing.last + 1].sum())
        detail = f"the answer '{shown}' was given to {count} of {of} prompts"
        flags.append(Flag("shared_answer", shown, None, crossing.after, threshold.share, detail, crossing))
    return flags


def _given(stream: Stream, threshold: SharedAnswer) -> dict[str, list[int]]:
    """The first record of each prompt that an answer was given to; of answers that enough prompts share."""
    first: dict[str, dict[int, int]] = {}
    for record, (answer, prompt) in enumerate(zip(stream.answer, stream.prompt.tolist(), strict=True)):
        if answer is not None and len(answer) >= threshold.length:
            first.setdefault(answer, {}).setdefault(prompt, record)
    shared = {answer: list(records.values()) for answer, records in first.items() if len(records) >= threshold.prompts}
    most = sorted(shared, key=lambda answer: -len(shared[answer]))[:MOST_ANSWERS]
    return {answer: shared[answer] for answer in sorted(most, key=lambda answer: sorted(shared[answer])[1])}


def _prompts(stream: Stream, tick: np.typing.NDArray[np.int64], size: int) -> Floats:
    """Prompts of each tick."""
    pairs = np.unique(np.stack([tick, stream.prompt]), axis=1)
    found: Floats = np.bincount(pairs[0], minlength=size).astype(np.float64)
    return found


def _counts(hits: Floats, prompts: Floats) -> Counts:
    """A prompt is a group of its own."""
    return Counts(np.stack([hits, prompts, hits, hits, prompts]).astype(np.float64))


def _of_base(watched: Watched, threshold: SharedAnswer) -> tuple[Counter[str], int]:
    if not watched.named:
        return Counter(), 0
    base = watched.base
    pairs = set(zip(base.answer, base.prompt.tolist(), strict=True))
    known = (one for one, _ in pairs if one is not None and len(one) >= threshold.length)
    return Counter(known), len({prompt for _, prompt in pairs})
