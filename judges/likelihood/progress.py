"""Beliefs in the reference over prefixes of the response: what did each part of it add?

``belief_progress`` (GRPO-VPS, arXiv 2604.20659) cuts the reasoning before tokens of high entropy, so that each part has
as many of them; ``information_gain`` (IGPO) takes the policy's turns before the one that answers. Both are the same
difference. A trainer sends the log-probabilities of the tokens that it sampled, and no entropies: the surprise of a
sampled token, -log p, estimates the entropy there from one draw. Where a sample has none, parts are cut at white space,
of about as many characters each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from pydantic import JsonValue

from judges.conversation import message_spans, reply_of, turns_of
from judges.likelihood.measures import progress
from judges.likelihood.method import Asked, Measured, Method, place_of, references_of
from judges.likelihood.params import LikelihoodParams
from judges.likelihood.probability import probability
from judges.likelihood.splice import context_of
from judges.questions import Answer, Spans
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.legible import legible

_BLANK = re.compile(r"\s+")
_BRANCHING = 0.2


class BeliefProgress(Method):
    """The belief after the last part is the score; ``step_scores`` are what each part added, ``step_spans`` where it
    stands in the response; the last part has the answer too."""

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        reference = references_of(sample)[0]
        place = place_of(sample, params)
        if isinstance(place, Verdict):
            return place
        head = place.before.removesuffix(place.bare)
        texts = [head[:end] + place.bare for end in ends_of(sample, head, params.parts)[:-1]] + [place.before]
        return [Asked(Spans(place.prompt, text + reference, _at(text, reference))) for text in texts]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        beliefs = [probability(answer.rows[0]) for answer in answers]
        evidence: dict[str, JsonValue] = {"beliefs": [*beliefs], "step_scores": [*progress(beliefs)]}
        place = place_of(sample, params)
        if not isinstance(place, Verdict):
            ends = ends_of(sample, place.before.removesuffix(place.bare), params.parts)
            evidence["step_spans"] = [[start, end] for start, end in part_spans(sample, ends)]
        return Measured(beliefs[-1], evidence)


class InformationGain(Method):
    """The same over the policy's turns: after each, how likely would the reference be as its next words?

    The last turn answers, so that the reference is not what comes after it: its part is the outcome, which this method
    does not know. Its step score is 0, and the score of the whole is the belief before it.
    """

    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        reference = references_of(sample)[0]
        turns, replies = turns_of(sample), reply_of(sample)
        ends = policy_ends(sample)
        if not ends:
            return Verdict.invalid("empty", "the response is missing or empty")
        before = [0, *ends[:-1]]
        return [Asked(Spans((*turns, *replies[:end]), reference, ((0, len(reference)),))) for end in before]

    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        beliefs = [probability(answer.rows[0]) for answer in answers]
        spans = message_spans(sample)
        evidence: dict[str, JsonValue] = {
            "beliefs": [*beliefs],
            "step_scores": [*progress(beliefs), 0.0],
            "step_spans": [[start, end] for start, end in spans],
        }
        return Measured(beliefs[-1], evidence)


def ends_of(sample: Sample, head: str, parts: int) -> list[int]:
    """Positions of ``head``, from 0 to its end, between which its parts stand: ``parts`` of them or fewer."""
    given = sample.logprobs
    if given is None or not given.offsets or len(given.offsets) != len(given.logprobs):
        return cuts(head, parts)
    shift = _shift(sample)
    tokens = [(begin + shift, -log) for (begin, _), log in zip(given.offsets, given.logprobs, strict=True)]
    return surprising_cuts([one for one in tokens if 0 < one[0] < len(head)], parts, len(head))


def surprising_cuts(tokens: Sequence[tuple[int, float]], parts: int, length: int) -> list[int]:
    """Cuts before the most surprising tokens, given as ``(position, surprise)``, with as many of them in each part.

    These are the fifth with the greatest surprise: the share that branches (arXiv 2506.01939).
    """
    count = max(parts - 1, math.ceil(len(tokens) * _BRANCHING))
    branching = sorted(place for place, _ in sorted(tokens, key=lambda one: -one[1])[:count])
    chosen = {branching[len(branching) * part // parts] for part in range(1, parts)} if branching else set()
    return [0, *sorted(chosen), length] if length else [0]


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


def part_spans(sample: Sample, ends: Sequence[int]) -> list[tuple[int, int]]:
    """Where parts of the reasoning stand in the response's text, from their ``ends`` in what is ahead of the answer.

    What stands ahead of the response (thinking that a server separated, a generation prefix) takes no characters of it.
    """
    turns = message_spans(sample)
    start, length, shift = (turns[-1][0] if turns else 0), len(sample.response_text), _shift(sample)
    places = [max(end - shift, start) for end in ends]
    return list(pairwise([*places[:-1], length]))


def _shift(sample: Sample) -> int:
    """What is added to a position of the response's text for that in what is ahead of the answer."""
    _, lead, _ = context_of(sample)
    turns = message_spans(sample)
    return len(lead) - (turns[-1][0] if turns else 0)


def _at(text: str, reference: str) -> tuple[tuple[int, int], ...]:
    return ((len(text), len(text) + len(reference)),)
