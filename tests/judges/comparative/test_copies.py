"""Copies of a response in one group: whatever a judge says of them, they stand equal."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.comparative.compare import CompareVerifier
from tests.judges.comparative.contests import held, listed_in, number_in, pair_in, says, scores
from tests.judges.replies import Replies, verdict_of
from trueward.wire.sample import Sample
from verifiers import registry

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


@pytest.mark.parametrize("preset", ["pair", "pair_scores", "pair_strength", "pair_token", "listwise", "spct"])
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), others=st.lists(st.sampled_from(["It is 1.", "It is 2."]), max_size=3))
def test_a_copy_is_a_tie_whatever_a_judge_draws(preset: str, seed: int, others: list[str]) -> None:
    """The judge says something else each time, of whatever stands first."""
    drawn = Random(seed)

    def reply(text: str) -> str:
        if preset in ("listwise", "spct"):
            shown = {name: drawn.randint(1, 5) for name in listed_in(text)}
            best = sorted(shown, key=lambda name: -shown[name])
            words = {"thoughts": "read"} if preset == "listwise" else {"principles": "read", "critique": "read"}
            return json.dumps({**words, "scores": shown, **({"best-to-worst": best} if preset == "listwise" else {})})
        said: dict[str, dict[str, object]] = {
            "pair": {"verdict": drawn.choice(["A", "B", "tie"])},
            "pair_scores": {
                "score_1": drawn.randint(1, 5),
                "score_2": drawn.randint(1, 5),
                "ranking": drawn.randint(1, 6),
            },
            "pair_strength": {"strength": drawn.randint(-3, 3)},
        }
        return says(**said[preset])

    def chances(text: str) -> list[float]:
        first = drawn.random()
        return [first, 1 - first]

    verifier = registry.create("compare", {"preset": preset, "principle": "The larger the better.", "attempts": 1})
    assert isinstance(verifier, CompareVerifier)
    sample = Sample(prompt="Name a number.", response="It is 1.", baselines=["It is 1.", *others])
    verdict = verdict_of(verifier, sample, Replies(reply, chances=chances))
    preferences = verdict.evidence["preferences"]
    assert isinstance(preferences, list)
    for text, preference in zip(sample.baselines or [], preferences, strict=True):
        assert text != sample.response or preference == 0.5
