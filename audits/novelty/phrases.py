"""Words in a row that became frequent: of phrases that come in the same responses the longest alone, and what is one
phrase in the responses told as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from audits.novelty.phrase_counts import frequent_phrases
from audits.novelty.response_features import ResponseFeatures
from audits.novelty.rises import SHOWN, Sides, risen, rises
from trueward.wire.change import Rise

LONGEST = 4
MOST = 8
MOST_JOINED = 40
_SAME = 0.9
"""A phrase within another is left out where it rose by no more than the other divided by this."""


def phrases(sides: Sides) -> list[Rise]:
    """At most a dozen, those that rose most first."""
    found = risen(sides, frequent_phrases(sides, LONGEST))
    kept: list[Rise] = []
    for rise in sorted(found, key=lambda one: (-len(one.what.split()), one.before - one.after, one.what)):
        if not any(_within(rise, other) for other in kept):
            kept.append(rise)
    kept.sort(key=lambda one: (one.before - one.after, one.what))
    texts = [_text(one) for one in sides.after]
    joined = _joined([one.what for one in kept[:MOST_JOINED]], lambda phrase: sum(phrase in text for text in texts))
    # counted anew, for what was joined may come less often than its parts
    return rises(sides, lambda one: _find_in(joined, _text(one)))[:SHOWN]


def _text(one: ResponseFeatures) -> str:
    return f" {' '.join(one.words)} "


def _find_in(phrases: Sequence[str], text: str) -> list[str]:
    return [phrase for phrase in phrases if f" {phrase} " in text]


def _within(rise: Rise, other: Rise) -> bool:
    inside = f" {rise.what} " in f" {other.what} "
    return inside and rise.after - rise.before <= (other.after - other.before) / _SAME


def _joined(phrases: Sequence[str], often: Callable[[str], int]) -> list[str]:
    """Phrases that overlap by two words or more are one, up to eight words long, where that comes about as often."""
    whole: list[str] = []
    for phrase in phrases:
        for place, other in enumerate(whole):
            longer = _longer(other, phrase) or _longer(phrase, other)
            if longer is not None and often(longer) >= _SAME * min(often(phrase), often(other)):
                whole[place] = longer
                break
        else:
            whole.append(phrase)
    return [one for one in whole if not any(one != other and f" {one} " in f" {other} " for other in whole)]


def _longer(phrase: str, other: str) -> str | None:
    """The first and then the second, where it begins with what the first ends with."""
    words, following = phrase.split(), other.split()
    sizes = range(min(len(words), len(following)), 1, -1)
    found = next((words + following[size:] for size in sizes if words[-size:] == following[:size]), None)
    return None if found is None or len(found) > MOST else " ".join(found)
