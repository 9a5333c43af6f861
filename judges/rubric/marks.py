"""What a judge's replies say of criteria: for each a score in [0, 1], why, and how far several replies agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

from judges.asking import Form, Unreadable
from trueward.rubrics import Criterion

NOT_APPLICABLE = "N/A"
ReplyMark = tuple[float | None, str]
ReplyMarks = Mapping[str, ReplyMark]
"""One reply: for each criterion's id its score, None where it does not apply, and the judge's words."""


@dataclass(frozen=True, slots=True)
class Mark:
    """``agreed`` is the share of the replies that gave the most frequent score; ``reason`` is of the first reply,
    ``votes`` are all, each with its score (None: it does not apply) and reason."""

    score: float
    reason: str
    agreed: float = 1.0
    votes: Sequence[ReplyMark] = ()


def rating(value: Mapping[str, JsonValue], low: float, high: float) -> tuple[float, str]:
    """Of ``{score, reason}``, the score scaled from its range to [0, 1]; what is beyond is at its end."""
    score, reason = _said(value)
    assert score is not None, "the preset's form says so"
    return (min(max(score, low), high) - low) / (high - low), reason


def item(value: Mapping[str, JsonValue], criterion: Criterion, top: int) -> ReplyMark:
    """Of ``{score, reason}``; ``top`` is the most that a criterion can get. Raises :class:`Unreadable`."""
    score, reason = _said(value)
    if score is None:
        if not criterion.may_not_apply:
            raise Unreadable("a criterion that always applies has no score")
        return None, reason
    if score > top:
        raise Unreadable(f"a score is above {top}")
    return score / top, reason


def items(value: Mapping[str, JsonValue], criteria: Sequence[Criterion], top: int) -> ReplyMarks:
    """Of ``{criteria: [{id, score, reason}]}``: each of ``criteria`` exactly once. Raises :class:`Unreadable`."""
    entries = value["criteria"]
    assert isinstance(entries, list), "the preset's form says so"
    known = {one.id: one for one in criteria}
    said = {str(entry["id"]): entry for entry in entries if isinstance(entry, dict)}
    if len(entries) != len(known) or set(said) != set(known):
        raise Unreadable("it does not have each criterion of the list exactly once, by its id")
    return {name: item(entry, known[name], top) for name, entry in said.items()}


def with_not_applicable(form: Form, top: int) -> Form:
    """A form whose scores may also be that the criterion does not apply."""

    def relaxed(schema: JsonValue, name: str = "") -> JsonValue:
        if isinstance(schema, list):
            return [relaxed(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        if name == "score":
            return {"enum": [*range(top + 1), NOT_APPLICABLE]}
        return {key: relaxed(one, key) for key, one in schema.items()}

    schema = relaxed(form.schema)
    assert isinstance(schema, dict), "a form is an object's"
    return Form(schema)


def _said(value: Mapping[str, JsonValue]) -> ReplyMark:
    score, reason = value["score"], value.get("reason", "")
    if score == NOT_APPLICABLE:
        return None, reason if isinstance(reason, str) else ""
    assert isinstance(score, (int, float)), "the preset's form says so"
    return float(score), reason if isinstance(reason, str) else ""


def merge_replies(replies: Sequence[ReplyMarks]) -> dict[str, Mark]:
    """The mean over the replies that have a score, for each criterion; none for one that more than half of them say
    does not apply."""
    marks = {name: _mark([reply[name] for reply in replies]) for name in replies[0]}
    return {name: mark for name, mark in marks.items() if mark is not None}


def _mark(said: Sequence[ReplyMark]) -> Mark | None:
    scores = [score for score, _ in said if score is not None]
    if 2 * len(scores) < len(said):
        return None
    reason = next(reason for score, reason in said if score is not None)
    return Mark(fmean(scores), reason, max(Counter(scores).values()) / len(said), tuple(said))
