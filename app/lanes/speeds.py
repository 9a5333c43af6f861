"""How long models take to reply, learned from their answers: what a default deadline has to allow for.

It is an upper bound that is asked for, not a mean: of the seconds that a reply of the greatest length would take at the
speed that was measured, waiting for its turn included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from judges.base import ModelVerifier, P
from judges.questions import Answer
from trueward.authoring.verifier import Verifier
from trueward.wire.model import ModelEntry
from verifiers.grouped import GroupVerifier

UNKNOWN_S = 1.0
UNKNOWN_TOKEN_S = 0.04
"""A model that nobody has asked yet is thought to take so long for a reply, and for each of its tokens."""
_LATEST = 0.1
_AGAIN = 2
"""Times that a reply is asked for again where it was cut off at its greatest length: else a response that has a judge
write for ever would run into the deadline, and have no score."""


@dataclass(slots=True)
class _Means:
    seconds: float
    written: float


class Speeds:
    def __init__(self) -> None:
        self._means: dict[str, _Means] = {}

    def record_answer(self, name: str, seconds: float, answer: Answer) -> None:
        means = self._means.setdefault(name, _Means(seconds, answer.written))
        means.seconds += _LATEST * (seconds - means.seconds)
        means.written += _LATEST * (answer.written - means.written)

    def reply_s(self, name: str, most_written: int) -> float:
        """Seconds of one reply of so many tokens."""
        means = self._means.get(name)
        if means is None:
            return UNKNOWN_S + UNKNOWN_TOKEN_S * most_written
        longer = most_written / means.written if means.written >= 1 else 1.0
        return means.seconds * max(1.0, longer)


def model_verifiers(verifiers: Iterable[Verifier]) -> list[ModelVerifier]:
    """Those among them, or in them, that ask models."""
    inner = [one.inner if isinstance(one, GroupVerifier) else one for one in verifiers]
    return [one for one in inner if isinstance(one, ModelVerifier)]


def judging_s(
    speeds: Speeds, verifier: ModelVerifier[P], entries: Iterable[ModelEntry], count: int, at_once: int
) -> float:
    """Seconds in which so many samples are judged, by as many rounds as their models need."""
    longest = 0.0
    for entry in entries:
        rounds = math.ceil(count / ((entry.limits and entry.limits.at_once) or at_once))
        again = _AGAIN if verifier.most_written > 1 else 0
        taken_s = (rounds + again) * speeds.reply_s(entry.name, verifier.most_written)
        a_minute = entry.limits and entry.limits.requests_per_minute
        longest = max(longest, taken_s, 60.0 * count / a_minute if a_minute else 0.0)
    return longest
