"""Words in a row that became frequent: of phrases that come in the same responses the longest alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audits.novelty.rises import SHOWN, rises
from audits.novelty.said import Said
from trueward.changes import Rise

LONGEST = 4
_SAME = 0.9
"""A phrase within another is left out where it rose by no more than the other divided by this."""


def phrases(before: Sequence[Said], after: Sequence[Said]) -> list[Rise]:
    """At most a dozen, those that rose most first."""
    found = rises(before, after, lambda one: _of(one.words))
    found = [one for one in found if one.what[0].isalpha() or one.what[0] in "#\\"]
    kept: list[Rise] = []
    for rise in sorted(found, key=lambda one: (-len(one.what.split()), one.before - one.after, one.what)):
        if not any(_within(rise, other) for other in kept):
            kept.append(rise)
    # of equals the one that begins with a word
    kept.sort(key=lambda one: (one.before - one.after, not one.what[0].isalpha(), one.what))
    kept = _without_overlaps(kept)
    return kept[:SHOWN]


def _of(words: Sequence[str]) -> Iterator[str]:
    for size in range(1, LONGEST + 1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


def _within(rise: Rise, other: Rise) -> bool:
    inside = f" {rise.what} " in f" {other.what} "
    return inside and rise.after - rise.before <= (other.after - other.before) / _SAME


def _without_overlaps(found: Sequence[Rise]) -> list[Rise]:
    """Without what is another one, shifted by a word or two: of each such chain the first stays."""
    kept: list[Rise] = []
    for rise in found:
        if not any(_shifted(rise.what.split(), other.what.split()) for other in kept):
            kept.append(rise)
    return kept


def _shifted(words: Sequence[str], other: Sequence[str]) -> bool:
    sizes = range(2, min(len(words), len(other)))
    return any(words[-size:] == other[:size] or other[-size:] == words[:size] for size in sizes)
