"""Rewards of steps and tokens, from characters of the response to the tokens that the policy sampled.

A reward without such parts, as that of an invalid response or of one whose gate is shut, is one step: all of it stands
at the last token. Where parts only differ from an advantage that the whole response has (``each``), it is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from trueward.errors import InvalidRequest
from trueward.trainers.alignment import Place, Span, token_rewards, tokens_of_spans
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

Kind = Literal["steps", "tokens"]


class Credit(NamedTuple):
    """One number a token: its reward, 1 where a step ends, and 1 where a token stands between two steps."""

    rewards: list[float]
    ends: list[float]
    separators: list[float]


NO_CREDIT = Credit([], [], [])

FIELDS: dict[Kind, str] = {"steps": "step_rewards", "tokens": "token_rewards"}
"""Of the reward, by kind of part."""


class Parts(NamedTuple):
    """Rewards of parts that advantages learn from, where they stand, and the shaping that a recipe gives them with.

    ``beside``: the reward itself is learnt from, too, so that a response without such parts has none.
    """

    kind: Kind
    place: Place
    shaping: str
    beside: bool = False


PARTS: dict[str, Parts] = {
    "capo": Parts("steps", "each", "steps with `steps: step_penalties`, over critique"),
    "prime": Parts("tokens", "last", "tokens, over process_reward"),
    "pure": Parts("steps", "last", "min_form, over a verifier that scores steps"),
    "renorm": Parts("steps", "last", "renorm, over a verifier that scores steps in [0, 1]"),
    "vps": Parts("steps", "each", "steps, over likelihood with the transform belief_progress"),
}
"""Advantages that need such rewards, by name."""


def no_parts(name: str, parts: Parts) -> InvalidRequest:
    """What a training with these advantages is refused with, where the recipe gives no such rewards."""
    return InvalidRequest(
        f"the advantages {name} learn from rewards of {parts.kind}, and the recipe gives none: it needs the shaping "
        f"{parts.shaping}"
    )


def credit(reward: Reward, parts: Parts, offsets: Sequence[Span]) -> Credit:
    """Raises :class:`InvalidRequest` where the service tells rewards of parts and not their places."""
    kind, place = parts.kind, parts.place
    amounts, spans = _parts(reward, kind)
    if amounts is None:
        return _at_last(0.0 if place == "each" or parts.beside else reward.reward or 0.0, len(offsets))
    if spans is None:
        raise InvalidRequest(
            f"the recipe gives {kind[:-1]}_rewards without {kind[:-1]}_spans: the evidence of its verifier "
            f"has to have {kind[:-1]}_spans"
        )
    spans, amounts = join_spans(spans, amounts)
    steps = [tokens for tokens in tokens_of_spans(offsets, spans) if tokens]
    last = {tokens[-1] for tokens in steps}
    inside = {token for tokens in steps for token in tokens}
    between = range(min(inside, default=0), max(inside, default=0))
    ends = [float(token in last) for token in range(len(offsets))]
    apart = [float(token in between and token not in inside) for token in range(len(offsets))]
    return Credit(token_rewards(offsets, spans, amounts, place=place), ends, apart)


def gives(reward: Reward, kind: Kind) -> bool:
    return _parts(reward, kind)[0] is not None


def must_give(reward: Reward) -> bool:
    """Whether something was judged here, so that a recipe which pays parts would have paid some."""
    return reward.reward is not None and reward.outcome is not Outcome.INVALID


def join_spans(spans: Sequence[Span], amounts: Sequence[float]) -> tuple[list[Span], list[float]]:
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
    return Credit([*before, amount], [*before, 1.0], [0.0] * count)
