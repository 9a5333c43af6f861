"""Responses that were cut: what they would have said is not there to be judged."""

from __future__ import annotations

from collections.abc import Iterator

from app.doctor.summary import Seen, Summary
from trueward.numerals import number
from trueward.wire.diagnosis import RunFault

_OFTEN = 0.1
_LEAST = 16
_ADVICE = (
    "allow more new tokens, or shorten what the prompt asks for; `on_truncated` of the recipe says what a cut response "
    "is worth"
)


def cut_responses(summary: Summary) -> Iterator[RunFault]:
    """By ``finish_reason``; where a trainer sends none, by many responses of exactly the greatest number of tokens."""
    stated = summary.where(lambda one: one.content is not None and one.content.finish_reason is not None)
    if stated:
        some = [one for one in stated if one.content is not None and one.content.finish_reason == "length"]
        longest = max(map(_tokens, some), default=0)
        told = f": the longest have {number(longest)}" if longest else ""
        sentence = f"end without a stop, cut at the limit of new tokens{told}"
    else:
        limit = max(map(_tokens, summary.records), default=0)
        some = summary.where(lambda one: limit > 0 and _tokens(one) == limit)
        sentence = f"are exactly {number(limit)} tokens long, the most that there are: they seem to be cut"
        some = some if len(some) >= _LEAST and len({_tokens(one) for one in summary.records}) > 1 else []
    if some and summary.share(some) >= _OFTEN:
        yield summary.fault("cut", some, sentence, _ADVICE)


def _tokens(one: Seen) -> int:
    return (one.content.tokens or 0) if one.content is not None else 0
