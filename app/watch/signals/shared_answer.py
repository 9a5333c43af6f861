"""One answer for many prompts: a constant output that the verifier takes, or that the policy fell back on.

Short answers are shared by right: a minimum length keeps ``0`` and ``A`` out. A prompt counts for an answer once, where
it was first given, so that prompts which come again are no new evidence.
"""

from __future__ import annotations

import numpy as np

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.stream import RecordStream
from audits.statistics.arrays import Floats, Ints
from audits.statistics.sequential import StratumCounts, detect_rise, part
from trueward.wire.watch import SharedAnswer, Signals

SHOWN = 60
MOST_ANSWERS = 50
"""Answers that are followed: those that the most prompts share."""


def shared_answer(watched: WatchedWindows, signals: Signals) -> list[Flag]:
    threshold = signals.shared_answer
    if threshold is None:
        return []
    ticks = watched.ticks
    used = watched.stream.part(slice(0, ticks.end))
    given = _first_by_answer(used, threshold)
    strata = len(watched.sources)
    prompts = _by_stratum(*_prompts(used, ticks.tick), len(ticks), strata)
    in_base, base_prompts = _of_base(watched, threshold)
    flags = []
    # in the order in which answers came to be shared, so that the chances never change afterwards
    for order, (answer, records) in enumerate(given.items()):
        hits = _by_stratum(used.stratum[records], ticks.tick[records], len(ticks), strata)
        counts = _counts(np.minimum(hits, prompts), prompts)
        prior = _counts(in_base.get(answer, 0.0 * base_prompts), base_prompts).totals() if watched.named else None
        chance = watched.each * part(order)
        crossing = detect_rise(counts, chance, first=watched.first, prior=prior)
        if crossing is None:
            continue
        shown_in = slice(None) if crossing.stratum is None else slice(crossing.stratum, crossing.stratum + 1)
        count = int(hits[shown_in, crossing.since : crossing.last + 1].sum())
        if count < threshold.prompts or crossing.after < threshold.share:
            continue
        # the policy's own text: whatever a terminal or a log would obey is escaped
        shown = repr(answer if len(answer) <= SHOWN else answer[:SHOWN] + "...")[1:-1]
        of = int(prompts[shown_in, crossing.since : crossing.last + 1].sum())
        detail = f"the answer '{shown}' was given to {count} of {of} prompts{watched.where(crossing)}"
        flags.append(Flag("shared_answer", shown, None, crossing.after, threshold.share, detail, crossing))
    return flags


def _first_by_answer(stream: RecordStream, threshold: SharedAnswer) -> dict[str, list[int]]:
    """The first record of each prompt that an answer was given to; of answers that enough prompts share."""
    first: dict[str, dict[int, int]] = {}
    for record, (answer, prompt) in enumerate(zip(stream.answer, stream.prompt.tolist(), strict=True)):
        if answer is not None and len(answer) >= threshold.length:
            first.setdefault(answer, {}).setdefault(prompt, record)
    shared = {answer: list(records.values()) for answer, records in first.items() if len(records) >= threshold.prompts}
    most = sorted(shared, key=lambda answer: -len(shared[answer]))[:MOST_ANSWERS]
    return {answer: shared[answer] for answer in sorted(most, key=lambda answer: sorted(shared[answer])[1])}


def _prompts(stream: RecordStream, tick: Ints) -> tuple[Ints, Ints]:
    """The strata and ticks of each tick's prompts."""
    pairs = np.unique(np.stack([tick, stream.prompt, stream.stratum]), axis=1)
    return pairs[2], pairs[0]


def _by_stratum(stratum: Ints, tick: Ints, ticks: int, strata: int) -> Floats:
    """How many there are; shape S x T."""
    counted: Floats = np.bincount(stratum * ticks + tick, minlength=strata * ticks).astype(np.float64)
    return counted.reshape(strata, ticks)


def _counts(hits: Floats, prompts: Floats) -> StratumCounts:
    """A prompt is a group of its own."""
    return StratumCounts(np.stack([hits, prompts, hits, hits, prompts], axis=1))


def _of_base(watched: WatchedWindows, threshold: SharedAnswer) -> tuple[dict[str, Floats], Floats]:
    """By stratum the prompts that each answer was given to, and all prompts; shape S x 1."""
    prompts = np.zeros((len(watched.sources), 1))
    given: dict[str, Floats] = {}
    if not watched.named:
        return given, prompts
    base = watched.base
    seen = set(zip(base.answer, base.prompt.tolist(), base.stratum.tolist(), strict=True))
    for answer, _, stratum in seen:
        if answer is not None and len(answer) >= threshold.length:
            given.setdefault(answer, np.zeros_like(prompts))[stratum] += 1
    for _, stratum in {(prompt, stratum) for _, prompt, stratum in seen}:
        prompts[stratum] += 1
    return given, prompts
