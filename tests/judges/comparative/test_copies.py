"""Copies of a response in one group: whatever a judge says of them, they stand equal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judges.comparative.contests import held, listed_in, number_in, pair_in, says, scores
from tests.judges.replies import Replies

PAIRS: dict[str, object] = {"compare": {"preset": "pair_scores"}, "aggregate": "mean"}
LISTS: dict[str, object] = {"compare": {"preset": "listwise", "principle": "The larger the better."}}
MERITS = st.lists(st.integers(1, 3), min_size=3, max_size=6).filter(lambda merits: len(set(merits)) < len(merits))
WAYS: list[dict[str, object]] = [
    {"aggregate": aggregate, "pairs": pairs}
    for aggregate in ("win_rate", "bradley_terry", "elo", "brpo")
    for pairs in ("circular", "all")
]


@pytest.mark.parametrize("way", [*WAYS, PAIRS, LISTS, {**LISTS, "aggregate": "mean"}])
@settings(deadline=None, max_examples=15)
@given(merits=MERITS, seed=st.integers(0, 5))
def test_copies_of_a_response_stand_equal_whomever_they_met(
    way: dict[str, object], merits: list[int], seed: int
) -> None:
    """Also with a judge that likes what it is shown first, and for every way to make standings."""
    texts = [f"It is {merit}." for merit in merits]
    preset = str(way.get("compare", {}).get("preset", "pair"))  # type: ignore[attr-defined]  # a dict where it is there

    def reply(text: str) -> str:
        if preset == "listwise":
            shown = list(listed_in(text))
            return json.dumps(
                {
                    "thoughts": "read",
                    "scores": {name: 9 - place for place, name in enumerate(shown)},
                    "best-to-worst": shown,
                }
            )
        first, second = map(number_in, pair_in(text))
        if preset == "pair_scores":
            return says(score_1=5, score_2=4 if first <= second else 1, ranking=2)
        return says(verdict="A" if first >= second else "B")

    verdicts = held(texts, Replies(reply), **way, seed=seed)
    for text in set(texts):
        alike = {round(verdict.score or 0, 9) for verdict, one in zip(verdicts, texts, strict=True) if one == text}
        assert len(alike) == 1, (texts, scores(verdicts))
