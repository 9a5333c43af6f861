"""Rewards of steps and spans, placed on the trainer's own tokens.

The service counts in characters of the response; a trainer has, for each of its tokens, the characters that it covers.
A token belongs to the last span that it touches: one that begins with the white space of the span before (`` word``)
belongs to the span of its word, and one that takes in the white space after a span (``.\\n\\n``) to that span. A span
that owns no token, because its only token belongs to a later one too, has all those it touches. The tokens of a
character that takes several (bytes) all carry that character's offsets and belong together. Tokens of no width, such as
special ones, belong to no span.

What is placed adds up to the rewards of all spans that touch a token of the policy (but for ``place="each"``); spans
that touch none (a tool's output) place nothing. Not here: cutting a response into steps, and offsets for tokenizers
that have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from trueward.errors import InvalidRequest

Span = tuple[int, int]
"""Characters from the first to before the second."""

Place = Literal["last", "spread", "each"]


def token_rewards(
    offsets: Sequence[Span],
    spans: Sequence[Span],
    rewards: Sequence[float],
    *,
    place: Place = "last",
    policy: Sequence[bool] | None = None,
    start: int = 0,
) -> list[float]:
    """A reward a token: that of each span on its ``last`` token, ``spread`` in equal parts over all of its tokens, or
    whole on ``each`` of them, as methods have it that punish every token of a wrong step.

    ``spans`` follow one another without overlap. ``policy`` says which tokens are the policy's (default: all).
    ``start`` is the place of the response in the text that ``offsets`` count in. Raises :class:`InvalidRequest` where
    lists differ in length or spans overlap.
    """
    _check(offsets, spans, rewards, policy)
    placed = [0.0] * len(offsets)
    for tokens, reward in zip(tokens_of_spans(offsets, spans, policy=policy, start=start), rewards, strict=True):
        chosen = tokens[-1:] if place == "last" else tokens
        for token in chosen:
            placed[token] += reward if place == "each" else reward / len(chosen)
    return placed


def tokens_of_spans(
    offsets: Sequence[Span], spans: Sequence[Span], *, policy: Sequence[bool] | None = None, start: int = 0
) -> list[list[int]]:
    """The places of each span's tokens, in order; empty for a span without a token of the policy."""
    begins, ends = [begin for begin, _ in spans], [end for _, end in spans]
    owned: list[list[int]] = [[] for _ in spans]
    touched: list[list[int]] = [[] for _ in spans]
    for token, (begin, end) in enumerate(offsets):
        if begin >= end or not (policy is None or policy[token]):
            continue
        first = bisect_right(ends, begin - start)
        last = bisect_left(begins, end - start) - 1
        for span in range(first, last + 1):
            touched[span].append(token)
        if first <= last:
            owned[last].append(token)
    return [own or touch for own, touch in zip(owned, touched, strict=True)]


def _check(
    offsets: Sequence[Span], spans: Sequence[Span], rewards: Sequence[float], policy: Sequence[bool] | None
) -> None:
    if len(rewards) != len(spans):
        raise InvalidRequest.at_field("rewards", "invalid", f"{len(rewards)} rewards for {len(spans)} spans")
    if policy is not None and len(policy) != len(offsets):
        raise InvalidRequest.at_field("policy", "invalid", f"{len(policy)} entries for {len(offsets)} tokens")
    if any(begin >= end for begin, end in spans):
        raise InvalidRequest.at_field("spans", "invalid", "a span is empty or ends before it begins")
    if any(before[1] > after[0] for before, after in pairwise(spans)):
        raise InvalidRequest.at_field("spans", "invalid", "spans overlap or are out of order")
