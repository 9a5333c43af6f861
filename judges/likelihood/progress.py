"""Beliefs in the reference over prefixes of the response: what did each part of it add?

``belief_progress`` (GRPO-VPS, arXiv 2604.20659, in its style) cuts the reasoning into parts of about as many
characters, at white space; ``information_gain`` (IGPO) takes the policy's turns. Both are the same difference.
Experimental: GRPO-VPS cuts at tokens of high entropy, which a reward service does not see.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from judges.conversation import reply_of, turns_of
from judges.likelihood.measures import progress
from judges.likelihood.method import Asked, Measured, Method, place_of, references_of
from judges.likelihood.params import LikelihoodParams
from judges.likelihood.probability import probability
from judges.questions import Answer, Spans
from trueward.types import Sample, Verdict
from verifiers.legible import legible

_BLANK = re.compile(r"\s+")


class BeliefProgress(Method):
    """The belief after the last part is the score; ``step_scores`` are what each part added."""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        reference = references_of(sample)[0]
        place = place_of(sample, params)
        if isinstance(place, Verdict):
            return place
        head = place.before.removesuffix(place.bare)
        texts = [head[:end] + place.bare for end in cuts(head, params.parts)[:-1]] + [place.before]
        return [Asked(Spans(place.prompt, text + reference, _at(text, reference))) for text in texts]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        return _measured(answers)


class InformationGain(Method):
    """The same over the policy's turns: after each, how likely would the reference be as its next words?"""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        reference = references_of(sample)[0]
        turns, replies = turns_of(sample), reply_of(sample)
        ends = [0, *policy_ends(sample)]
        if len(ends) < 2:
            return Verdict.invalid("empty", "the response is missing or empty")
        return [Asked(Spans((*turns, *replies[:end]), reference, ((0, len(reference)),))) for end in ends]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        return _measured(answers)


def cuts(text: str, parts: int) -> list[int]:
    """Positions from 0 to the end, ``parts + 1`` or fewer: where white space begins, nearest behind equal parts."""
    blanks = [found.start() for found in _BLANK.finditer(text)]
    found = [0]
    for part in range(1, parts):
        least = len(text) * part / parts
        place = next((blank for blank in blanks if blank >= least and blank > found[-1]), None)
        if place is not None:
            found.append(place)
    return [*found, len(text)] if len(text) > found[-1] else found


def policy_ends(sample: Sample) -> list[int]:
    """After how many messages of the response each turn of the policy is over, with what tools said to it."""
    if not isinstance(sample.response, list):
        return [1] if legible(sample.response or "").strip() else []
    own = [place for place, message in enumerate(sample.response) if message.is_policy]
    return [*own[1:], len(sample.response)] if own else []


def _at(text: str, reference: str) -> tuple[tuple[int, int], ...]:
    return ((len(text), len(text) + len(reference)),)


def _measured(answers: Sequence[Answer]) -> Measured:
    beliefs = [probability(answer.rows[0]) for answer in answers]
    steps = progress(beliefs)
    return Measured(beliefs[-1], {"beliefs": list(beliefs), "step_scores": list(steps)})
