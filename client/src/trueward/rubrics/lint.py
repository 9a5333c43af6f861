"""What is wrong with a rubric before anybody judges by it: rules of thumb for rubrics in English.

An ``error`` makes the rubric useless or refused; a ``warning`` is most likely a mistake; a ``note`` may be one. Pure.
Not found: what only data shows, such as criteria that are always met (``trueward rubric correlate``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from pydantic import JsonValue, ValidationError

from trueward.rubrics.rubric import Criterion, Rubric

Level = Literal["error", "warning", "note"]

LONG = 500
ALIKE = 0.75
_LEAST_SHARE = 0.01
_WORD = re.compile(r"\w+")
_STOP = frozenset("a an and are as at be by for from in is it its of on or response that the this to with".split())  # noqa: SIM905
_AVOIDS = re.compile(
    r"\b(avoid\w*|refrain\w*|without|never|free of|no|not|doesn't|don't|isn't|cannot|neither|nor)\b", re.IGNORECASE
)
_FAULT = re.compile(
    r"\b(wrong(ly)?|incorrect(ly)?|inaccurate(ly)?|mislead\w*|hallucinat\w+|fabricat\w+|irrelevant|harmful|unsafe"
    r"|fail(s|ed)? to|omit(s|ted)?|neglects?|ignores?|misses|overly|errors?|mistakes?"
    r"|too (long|short|vague|verbose))\b",
    re.IGNORECASE,
)
_NOT_ABOUT_FAULTS = re.compile(
    r"\b(correct(s|ed|ing)?|identif\w+|points? out|explains?|warns?|detects?|finds?|fix\w*)\b", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\b(better|worse|shorter|longer|clearer) than (the )?(other|others|previous|reference|baseline|competing)"
    r"|\bother responses\b|\bcompared (to|with) (the )?(other|previous|reference|baseline)"
    r"|\b(response|generation) time\b|\blatency\b|\b(user|reader|customer)s? (is|are|was|will be|would be|feels?) "
    r"(satisfied|happy|pleased|convinced)|\bmodel('s)? (confidence|intention|internal)|\bin earlier sessions\b",
    re.IGNORECASE,
)
_VERBS = (
    "adds|advises|answers|asks|avoids|cites|compares|concludes|covers|defines|describes|discusses|encourages|ensures"
    "|explains|gives|has|identifies|includes|informs|is|lists|mentions|names|notes|offers|provides|recommends"
    "|recognizes|refers|says|shows|states|suggests|tells|uses|warns|writes"
)
_TWO = re.compile(
    rf"\b(?:and|and also|as well as)\s+(?:also\s+|clearly\s+|correctly\s+)?(?:{_VERBS})\b|;\s+\w|\?.*\?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Finding:
    """``place`` is a criterion's id, the place in the document where it cannot be read, or empty for the whole."""

    place: str
    level: Level
    code: str
    words: str


def lint(document: JsonValue) -> list[Finding]:
    """What is wrong with a rubric's document, in its order; whatever cannot be read as a rubric is all errors."""
    try:
        rubric = Rubric.of(document)
    except ValidationError as refusal:
        found = refusal.errors(include_url=False, include_context=False, include_input=False)
        return [Finding(".".join(map(str, one["loc"])), "error", one["type"], one["msg"]) for one in found]
    alone = [finding for one in rubric.criteria for finding in _of_one(one, rubric)]
    return [*_of_whole(rubric), *alone, *_of_pairs(rubric)]


def _of_whole(rubric: Rubric) -> Iterator[Finding]:
    if not rubric.criteria:
        yield Finding("", "error", "empty", "a rubric without criteria judges nothing: verdicts abstain")
    elif not any(one.weighs > 0 for one in rubric.criteria):
        words = "no weight is above 0: no response can earn anything"
        yield Finding("", "error", "no_positive_weight", words)


def _of_one(one: Criterion, rubric: Rubric) -> Iterator[Finding]:
    yield from _weight(one, rubric)
    yield from _wording(one)
    if len(one.text) > LONG:
        words = f"the text has {len(one.text)} characters: a judge reads {LONG} as one thing, hardly more"
        yield Finding(one.id, "warning", "too_long", words)
    if _ELSEWHERE.search(one.text):
        words = "this cannot be told from the response alone: name what the response itself must hold"
        yield Finding(one.id, "warning", "not_in_the_response", words)
    if _TWO.search(one.text):
        words = "this asks two things, and a response that does one of them is neither met nor unmet: make it two"
        yield Finding(one.id, "note", "two_questions", words)


def _weight(one: Criterion, rubric: Rubric) -> Iterator[Finding]:
    if one.weighs == 0:
        yield Finding(
            one.id, "warning", "no_effect", "a weight of 0: the criterion costs a judgement and changes nothing"
        )
    elif abs(one.weighs) < _LEAST_SHARE * max(abs(other.weighs) for other in rubric.criteria):
        words = f"the weight is under {_LEAST_SHARE:.0%} of the heaviest: the criterion hardly changes anything"
        yield Finding(one.id, "note", "no_effect", words)


def _wording(one: Criterion) -> Iterator[Finding]:
    """Whether meeting the criterion is good where its weight says so, and bad where that does."""
    avoids, fault = _AVOIDS.search(one.text), _FAULT.search(one.text)
    if one.weighs > 0 and (one.category == "pitfall" or (fault and not _NOT_ABOUT_FAULTS.search(one.text))):
        if not avoids or (fault and fault.start() < avoids.start()):
            words = "to meet this pays, and it reads as a fault: write `avoids ...`, or give it a weight below 0"
            yield Finding(one.id, "warning", "fault_is_paid", words)
    elif one.weighs < 0 and avoids and not (fault and fault.start() < avoids.start()):
        words = "to meet this costs, and it reads as something good: name the fault itself, or give it a weight above 0"
        yield Finding(one.id, "warning", "virtue_is_punished", words)


def _of_pairs(rubric: Rubric) -> Iterator[Finding]:
    words = {one.id: frozenset(_WORD.findall(one.text.casefold())) - _STOP for one in rubric.criteria}
    plain = {one.id: " ".join(_WORD.findall(one.text.casefold())) for one in rubric.criteria}
    for first, second in combinations((one.id for one in rubric.criteria), 2):
        if plain[first] == plain[second]:
            yield Finding(second, "warning", "duplicate", f"the same as {first}: it counts twice")
        elif _near(words[first], words[second]):
            yield Finding(second, "warning", "near_duplicate", f"nearly the same as {first}: it may count twice")


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether most words are shared; another number or a negation makes it another criterion."""
    apart = one ^ other
    if any(word.isdigit() or _AVOIDS.fullmatch(word) for word in apart):
        return False
    return len(one & other) >= max(2, ALIKE * len(one | other))
