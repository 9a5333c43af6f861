"""``qa`` against SQuAD's own script, written out here as it was published."""

from __future__ import annotations

import re
import string
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample
from verifiers import registry
from verifiers.qa import normalise_text

WORDS = st.sampled_from(["the", "The", "a", "An", "Denver", "denver", "Broncos,", "U.S.", "o'clock", "forty-two", "é"])
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def published_normalisation(text: str) -> str:
    without_punctuation = "".join(ch for ch in text.lower() if ch not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", without_punctuation).split())


def published_f1(prediction: str, truth: str) -> float:
    given_tokens, gold_tokens = published_normalisation(prediction).split(), published_normalisation(truth).split()
    same = sum((Counter(given_tokens) & Counter(gold_tokens)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(given_tokens), same / len(gold_tokens)
    return 2 * precision * recall / (precision + recall)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_scores_are_those_of_the_published_script(response: str, references: list[str]) -> None:
    [verdict] = registry.create("qa", {"extract": "whole"}).verify([Sample(response=response, reference=references)])
    if not published_normalisation(response) or not all(map(published_normalisation, references)):
        assert verdict.outcome in ("invalid", "abstained")
        return
    exact = any(published_normalisation(response) == published_normalisation(text) for text in references)
    assert (verdict.outcome == "correct") == exact
    assert verdict.score is not None
    assert abs(verdict.score - max(published_f1(response, text) for text in references)) < 1e-12


@given(st.text(max_size=60))
def test_any_text_is_normalised_as_published(text: str) -> None:
    assert normalise_text(text) == published_normalisation(text)
