"""Phrases that are counted as arrays are those that are counted one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from audits.novelty import phrase_counts
from audits.novelty.phrase_counts import frequent_phrases
from audits.novelty.response_features import ResponseFeatures
from audits.novelty.rises import FeatureCount, Sides

WORDS = ("so", "we", "add", "12", "3.5", ",", ".", "\\frac", "{", "}", "²", "Ünder", "_")


def said(number: int, text: str) -> ResponseFeatures:
    return ResponseFeatures(f"record {number}", f"group {number // 4}", number, text, "correct: equal", None, None)


def responses(dice: Random, count: int, most: int) -> list[ResponseFeatures]:
    return [said(number, " ".join(dice.choices(WORDS, k=dice.randrange(most + 1)))) for number in range(count)]


def one_by_one(sides: Sides, longest: int) -> set[FeatureCount]:
    """Each phrase of each response is looked for in every response."""

    def has(one: ResponseFeatures, phrase: Sequence[str]) -> bool:
        starts = range(len(one.words) - len(phrase) + 1)
        return any(one.words[start : start + len(phrase)] == phrase for start in starts)

    phrases = {
        tuple(one.words[start : start + size])
        for one, size in product(sides.after, range(1, longest + 1))
        for start in range(len(one.words) - size + 1)
    }
    found = set()
    for phrase in phrases:
        if not (phrase[0][0].isalpha() or phrase[0][0] in "#\\"):
            continue
        before, after = ([has(one, list(phrase)) for one in side] for side in (sides.before, sides.after))
        if sum(after) >= max(3, 0.02 * len(after)):
            found.add(FeatureCount(" ".join(phrase), sum(before), sum(after), after.index(True)))
    return found


@pytest.mark.parametrize("table", [0, 2_000_000])
@pytest.mark.parametrize("seed", range(8))
def test_phrases_are_counted_as_one_by_one(seed: int, table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrase_counts, "_TABLE", table)
    dice = Random(seed)
    count, most = (3, 8) if seed % 2 else (120, 6)
    sides = Sides.of(responses(dice, count, most), responses(dice, count + seed, most))
    found = list(frequent_phrases(sides, 4))
    assert len(found) == len(set(found))
    assert set(found) == one_by_one(sides, 4)


@pytest.mark.parametrize(("before", "after"), [([], []), (["so it is"], []), ([], ["so it is"] * 3), ([""], ["", "."])])
def test_little_or_nothing_is_said(before: list[str], after: list[str]) -> None:
    sides = Sides.of(*([said(place, text) for place, text in enumerate(texts)] for texts in (before, after)))
    found = list(frequent_phrases(sides, 4))
    assert set(found) == one_by_one(sides, 4)
    assert len(found) == (6 if len(after) > 2 else 0)
