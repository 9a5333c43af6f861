"""One answer for many prompts: a constant output that the verifier takes, or that the policy fell back on.

Short answers are shared by right: a minimum length keeps ``0`` and ``A`` out.
"""

from __future__ import annotations

from collections import Counter

from app.audit.statistics.proportion import difference
from app.watch.stream import Stream
from app.watch.watched import Flag, Watched
from trueward.watch import SharedAnswer, Signals

SHOWN = 60


def shared_answer(watched: Watched, signals: Signals) -> list[Flag]:
    threshold = signals.shared_answer
    if threshold is None:
        return []
    before, prompts_before = _shared(watched.base, threshold)
    flags = []
    for place, window in enumerate(watched.windows):
        counts, prompts = _shared(window.part, threshold)
        for answer, count in counts.most_common(1):
            share = count / prompts
            if count < threshold.prompts or share < threshold.share:
                continue
            if difference((count, prompts), (before[answer], prompts_before), watched.level).low > 0:
                # the policy's own text: whatever a terminal or a log would obey is escaped
                shown = repr(answer if len(answer) <= SHOWN else answer[:SHOWN] + "...")[1:-1]
                detail = f"the answer '{shown}' was given to {count} of {prompts} prompts"
                flags.append(Flag("shared_answer", shown, place, share, threshold.share, detail))
    return flags


def _shared(stream: Stream, threshold: SharedAnswer) -> tuple[Counter[str], int]:
    """For how many prompts each answer was given, and how many prompts there are."""
    pairs = set(zip(stream.answer, stream.prompt.tolist(), strict=True))
    long_enough = (one for one, _ in pairs if one is not None and len(one) >= threshold.length)
    return Counter(long_enough), len({prompt for _, prompt in pairs})
