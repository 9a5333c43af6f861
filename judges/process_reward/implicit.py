"""Implicit process rewards: ``beta (log p - log p_ref)`` of each token of the response, under two causal models.

Sources: Free Process Rewards without Process Labels, arXiv 2412.01981; PRIME, arXiv 2502.01456.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from judges.base import Unaskable
from judges.questions import Answer


@dataclass(frozen=True, slots=True)
class Implicit:
    """``tokens`` in order with their ``offsets`` in characters, ``steps`` their sums within each step."""

    tokens: list[float]
    offsets: list[tuple[int, int]]
    steps: list[float]


def implicit(answer: Answer, reference: Answer, spans: Sequence[tuple[int, int]], beta: float) -> Implicit:
    """Rewards of the whole response (the first row of both answers), and of each of at least one span.

    A token belongs to the first span that does not end before it does, what follows the last to the last: rewards of
    the steps add up to that of the response. Raises :class:`judges.base.Unaskable` where the two models have other
    tokens.
    """
    if answer.token_ids[0] != reference.token_ids[0]:
        raise Unaskable("the model and its reference model cut the response into different tokens")
    rewards = [beta * (one - other) for one, other in zip(answer.rows[0], reference.rows[0], strict=True)]
    offsets = list(answer.offsets[0])
    held: list[list[float]] = [[] for _ in spans]
    place = 0
    for reward, (_, end) in zip(rewards, offsets, strict=True):
        while place < len(spans) - 1 and spans[place][1] < end:
            place += 1
        held[place].append(reward)
    return Implicit(rewards, offsets, [math.fsum(one) for one in held])
