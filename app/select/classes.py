"""Classes of equivalent answers, made by a verifier: each candidate judged against the first of every class so far.

Every comparison is a verdict like any other, recorded and cached. ``correct`` means the same class; one without a
result means a different one, and is named. A response without an answer is in no class.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from rewards.view import is_correct
from trueward.authoring.verifier import Verifier
from trueward.wire.sample import Sample
from trueward.wire.selection import UnclassedCandidate, UncomparedPair
from trueward.wire.verdict import Outcome, Verdict

Judge = Callable[[Sequence[Sample]], Awaitable[Sequence[Verdict] | None]]
"""Judges samples in order; None where the time is over."""

_OVER = UnclassedCandidate(
    id="", outcome=Outcome.TIMEOUT, reason_code="deadline", reason="the deadline passed before it was compared"
)


@dataclass(slots=True)
class Classes:
    """``of`` has each candidate's class, by position of its first member; None for one without a class."""

    of: list[int | None]
    answers: Sequence[JsonValue]
    without: list[UnclassedCandidate] = field(default_factory=list)
    uncompared: list[UncomparedPair] = field(default_factory=list)
    comparisons: int = 0


async def classify_candidates(candidates: Sequence[Sample], answers: Sequence[JsonValue], judge: Judge) -> Classes:
    """At most one comparison of each candidate with itself, and one with the first member of each class."""
    classes = Classes([None] * len(candidates), answers)
    left = await _with_an_answer(classes, candidates, judge)
    while left:
        first, *others = left
        classes.of[first] = first
        said = await _compared(classes, candidates, others, first, judge) if others else []
        if said is None:
            classes.without += [_OVER.model_copy(update={"id": _id(candidates[place])}) for place in others]
            break
        left = []
        for place, verdict in zip(others, said, strict=True):
            if is_correct(verdict):
                classes.of[place] = first
                continue
            left.append(place)
            if verdict.outcome.missing:
                pair = {"id": _id(candidates[place]), "against": _id(candidates[first])}
                classes.uncompared.append(UncomparedPair(**pair, **_grounds(verdict)))
    return classes


async def _with_an_answer(classes: Classes, candidates: Sequence[Sample], judge: Judge) -> list[int]:
    """Positions of the candidates that have something to vote for: each is judged against its own answer."""
    places = [place for place, answer in enumerate(classes.answers) if answer is not None]
    samples = [candidates[place].model_copy(update={"reference": classes.answers[place]}) for place in places]
    classes.comparisons += len(samples)
    said = await judge(samples) if samples else []
    by_place = dict(zip(places, said, strict=True)) if said is not None else {}
    left = []
    for place, candidate in enumerate(candidates):
        verdict = by_place.get(place)
        if verdict is not None and verdict.outcome is not Outcome.INVALID:
            left.append(place)
        elif verdict is not None:
            classes.without.append(UnclassedCandidate(id=_id(candidate), **_grounds(verdict)))
        elif place in places:
            classes.without.append(_OVER.model_copy(update={"id": _id(candidate)}))
        else:
            nothing = Verdict.invalid("no_answer", "no answer was found in the response")
            classes.without.append(UnclassedCandidate(id=_id(candidate), **_grounds(nothing)))
    return left


async def _compared(
    classes: Classes, candidates: Sequence[Sample], others: Sequence[int], first: int, judge: Judge
) -> Sequence[Verdict] | None:
    classes.comparisons += len(others)
    reference = classes.answers[first]
    return await judge([candidates[place].model_copy(update={"reference": reference}) for place in others])


def answer_of(verifier: Verifier, sample: Sample) -> JsonValue:
    """What stands for a candidate when another is compared with it; None where it gave no answer."""
    from verifiers.extract import NoAnswer, Policy, extract

    policy = getattr(verifier.params, "extract", None)
    if not isinstance(policy, Policy):
        return sample.response_text.strip() or None
    found = extract(sample, policy)
    return None if isinstance(found, NoAnswer) else found.text


def _grounds(verdict: Verdict) -> dict[str, JsonValue]:
    return {"outcome": verdict.outcome, "reason_code": verdict.reason_code, "reason": verdict.reason}


def _id(sample: Sample) -> str:
    return sample.id or ""
