"""How many responses of either side have each phrase: words in a row, numbered, and counted as arrays.

A phrase is in no more responses than its beginning, so longer ones are looked for only where that is frequent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from audits.novelty.rises import FeatureCount, Sides

Numbers = NDArray[np.int64]
_TABLE = 2_000_000
"""Up to so many a table of all numbers is sooner made than numbers are sorted."""


def frequent_phrases(sides: Sides, longest: int) -> Iterator[FeatureCount]:
    """Phrases of at most so many words that are frequent after, and begin with a word, a number or a LaTeX command."""
    said = [one.words for one in (*sides.before, *sides.after)]
    names = list(dict.fromkeys(chain.from_iterable(said)))
    numbers = {name: number for number, name in enumerate(names)}
    words: Numbers = np.fromiter(map(numbers.__getitem__, chain.from_iterable(said)), dtype=np.int64)
    response: Numbers = np.repeat(np.arange(len(said)), [len(one) for one in said])
    begins = np.array([name[0].isalpha() or name[0] in "#\\" for name in names], dtype=np.bool_)
    place: Numbers = np.flatnonzero(begins[words])
    phrase, below = words[place], len(names)
    for size in range(1, longest + 1):
        if size > 1:
            inside = place + size - 1 < len(words)
            place, phrase = place[inside], phrase[inside]
            whole = response[place] == response[place + size - 1]
            place, phrase = place[whole], phrase[whole]
            phrase, below = phrase * len(names) + words[place + size - 1], below * len(names)
        phrase, known = _renumber(phrase, below)
        at = np.empty(known, dtype=np.int64)
        at[phrase] = place  # any place of each
        count = _Count(phrase, response[place], known, sides)
        for one in np.flatnonzero(count.frequent).tolist():
            start = int(at[one])
            what = " ".join(names[number] for number in words[start : start + size].tolist())
            yield FeatureCount(what, int(count.before[one]), int(count.after[one]), int(count.first[one]))
        kept = count.frequent[phrase]
        place, (phrase, below) = place[kept], _renumber(phrase[kept], known)


def _renumber(numbers: Numbers, below: int) -> tuple[Numbers, int]:
    """From 0 on without a gap, in their order, and how many there are; ``below`` is above all of them."""
    if below > _TABLE:
        known, found = np.unique(numbers, return_inverse=True)
        return found, len(known)
    there = np.zeros(below, dtype=np.bool_)
    there[numbers] = True
    return (np.cumsum(there) - 1)[numbers], int(np.count_nonzero(there))


class _Count:
    """Responses of either side that have each of so many phrases, and which of ``after`` is the first."""

    def __init__(self, phrase: Numbers, response: Numbers, phrases: int, sides: Sides) -> None:
        each, earlier = len(sides.before) + len(sides.after), len(sides.before)
        pairs = np.unique(phrase * each + response)
        what, who = pairs // each, pairs % each
        later = who >= earlier
        self.before = np.bincount(what[~later], minlength=phrases)
        self.after = np.bincount(what[later], minlength=phrases)
        self.frequent = self.after >= sides.frequent
        self.first = np.zeros(phrases, dtype=np.int64)
        # in reverse, so that the first is written last
        self.first[what[later][::-1]] = who[later][::-1] - earlier
