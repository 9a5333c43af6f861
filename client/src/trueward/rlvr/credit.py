"""Rewards of steps and tokens, from characters of the response to the tokens that the policy sampled.

A reward without such parts, as that of an invalid response or of one whose gate is shut, is one step: all of it stands
at the last token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from trueward.errors import InvalidRequest
from trueward.trainers.alignment import Span, token_rewards, tokens_of_spans
from trueward.types import Outcome, Reward

Kind = Literal["steps", "tokens"]


class Credit(NamedTuple):
    """One number a token: its reward, and 1 where a step ends."""

    rewards: list[float]
    ends: list[float]


def credit(reward: Reward, kind: Kind, offsets: Sequence[Span]) -> Credit:
    """Raises :class:`InvalidRequest` where the service tells rewards of parts and not their places."""
    amounts, spans = _parts(reward, kind)
    if amounts is None:
        return _at_last(reward.reward or 0.0, len(offsets))
    if spans is None:
        raise InvalidRequest(
            f"the recipe gives {kind[:-1]}_rewards without {kind[:-1]}_spans: the evidence of its verifier "
            f"has to have {kind[:-1]}_spans"
        )
    spans, amounts = joined(spans, amounts)
    last = [tokens[-1] for tokens in tokens_of_spans(offsets, spans) if tokens]
    ends = [float(place in last) for place in range(len(offsets))]
    return Credit(token_rewards(offsets, spans, amounts), ends)


def gives(reward: Reward, kind: Kind) -> bool:
    return _parts(reward, kind)[0] is not None


def must_give(reward: Reward) -> bool:
    """Whether something was judged here, so that a recipe which pays parts would have paid some."""
    return reward.reward is not None and reward.outcome is not Outcome.INVALID


def joined(spans: Sequence[Span], amounts: Sequence[float]) -> tuple[list[Span], list[float]]:
    """Parts of the same characters (tokens that are bytes) become one; a part of no width goes to the one before."""
    found: list[Span] = []
    sums: list[float] = []
    early = 0.0
    for (begin, end), amount in zip(spans, amounts, strict=True):
        if found and (begin >= end or begin < found[-1][1]):
            found[-1] = (found[-1][0], max(end, found[-1][1]))
            sums[-1] += amount
        elif begin >= end:
            early += amount
        else:
            found.append((begin, end))
            sums.append(amount + early)
            early = 0.0
    return found, sums


def _parts(reward: Reward, kind: Kind) -> tuple[list[float] | None, list[Span] | None]:
    if kind == "steps":
        return reward.step_rewards, reward.step_spans
    return reward.token_rewards, reward.token_spans


def _at_last(amount: float, count: int) -> Credit:
    before = [0.0] * (count - 1)
    return Credit([*before, amount], [*before, 1.0])
