"""What a judge's replies say of criteria: for each a score in [0, 1], why, and how far several replies agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

from judges.asking import Unreadable

ReplyMarks = Mapping[str, tuple[float, str]]
"""One reply: for each criterion's id its score, and the judge's words."""


@dataclass(frozen=True, slots=True)
class Mark:
    """``agreed`` is the share of the replies that gave the most frequent score; ``reason`` is of the first reply,
    ``votes`` are all, each with its score and reason."""

    score: float
    reason: str
    agreed: float = 1.0
    votes: Sequence[tuple[float, str]] = ()


def rating(value: Mapping[str, JsonValue], low: float, high: float) -> tuple[float, str]:
    """Of ``{score, reason}``, the score scaled from its range to [0, 1]; what is beyond is at its end."""
    score, reason = _said(value)
    return (min(max(score, low), high) - low) / (high - low), reason


def item(value: Mapping[str, JsonValue], top: int) -> tuple[float, str]:
    """Of ``{score, reason}``; ``top`` is the most that a criterion can get. Raises :class:`Unreadable`."""
    score, reason = _said(value)
    if score > top:
        raise Unreadable(f"a score is above {top}")
    return score / top, reason


def items(value: Mapping[str, JsonValue], ids: Sequence[str], top: int) -> ReplyMarks:
    """Of ``{criteria: [{id, score, reason}]}``: each of ``ids`` exactly once. Raises :class:`Unreadable`."""
    entries = value["criteria"]
    assert isinstance(entries, list), "the preset's form says so"
    found = {str(entry["id"]): item(entry, top) for entry in entries if isinstance(entry, dict)}
    if len(entries) != len(ids) or set(found) != set(ids):
        raise Unreadable("it does not have each criterion of the list exactly once, by its id")
    return found


def _said(value: Mapping[str, JsonValue]) -> tuple[float, str]:
    score, reason = value["score"], value.get("reason", "")
    assert isinstance(score, (int, float)), "the preset's form says so"
    return float(score), reason if isinstance(reason, str) else ""


def voted(replies: Sequence[ReplyMarks]) -> dict[str, Mark]:
    """The mean over the replies, for each criterion."""
    return {name: _mark([reply[name] for reply in replies]) for name in replies[0]}


def _mark(said: Sequence[tuple[float, str]]) -> Mark:
    scores = [score for score, _ in said]
    return Mark(fmean(scores), said[0][1], max(Counter(scores).values()) / len(scores), tuple(said))
