"""``overlap`` against plain definitions, and against sacrebleu's own function; bounded for long texts."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from trueward import Sample, Verdict
from verifiers import registry
from verifiers.overlap import LONGEST, bleu, edit, gleu, rouge_l

WORDS = st.lists(st.sampled_from(["the", "The", "cat", "sat", "on", "mat"]), min_size=1, max_size=8).map(" ".join)
REFERENCES = st.lists(WORDS, min_size=1, max_size=3)


def common_subsequence(one: list[str], other: list[str]) -> int:
    if not one or not other:
        return 0
    if one[0] == other[0]:
        return 1 + common_subsequence(one[1:], other[1:])
    return max(common_subsequence(one[1:], other), common_subsequence(one, other[1:]))


def plain_rouge_l(text: str, reference: str) -> float:
    one, other = (re.findall("[a-z0-9]+", part.lower()) for part in (text, reference))
    common = common_subsequence(one, other)
    if not common:
        return 0.0
    precision, recall = common / len(one), common / len(other)
    return 2 * precision * recall / (precision + recall)


def plain_gleu(text: str, reference: str) -> float:
    one, other = (
        Counter(tuple(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + 4, len(words)) + 1))
        for words in (text.split(), reference.split())
    )
    common = (one & other).total()
    return min(common / one.total(), common / other.total())


def plain_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        before, row = row, [i]
        for j, b in enumerate(other, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


@given(WORDS, REFERENCES)
def test_scores_are_those_of_the_definitions(text: str, references: list[str]) -> None:
    assert rouge_l(text, references) == pytest.approx(max(plain_rouge_l(text, gold) for gold in references))
    assert gleu(text, references) == pytest.approx(max(plain_gleu(text, gold) for gold in references))
    assert edit(text, references) == pytest.approx(
        max(1 - plain_distance(text, gold) / max(len(text), len(gold)) for gold in references)
    )
    assert bleu(text, references) == pytest.approx(sacrebleu.sentence_bleu(text, references).score / 100)


@given(WORDS, WORDS)
def test_scores_lie_between_0_and_1_and_one_text_is_itself(text: str, other: str) -> None:
    for measure in (rouge_l, gleu, edit, bleu):
        assert 0.0 <= measure(text, [other]) <= 1.0
        assert measure(text, [text]) == pytest.approx(1.0)
    assert edit(text, [other]) == edit(other, [text])
    assert rouge_l(text, [other]) == rouge_l(other, [text])


def test_the_tokenizers_keep_no_text() -> None:
    bleu("a text that is remembered", ["a text"])
    gleu("another text", ["a text"])
    assert Tokenizer13a.__call__.cache_info().currsize == 0
    assert TokenizerRegexp.__call__.cache_info().currsize == 0


@pytest.mark.parametrize("measure", ["rouge_l", "bleu", "gleu", "edit"])
def test_the_longest_texts_are_compared_and_longer_ones_refused(measure: str) -> None:
    verifier = registry.create("overlap", {"measure": measure})
    longest = "a b " * (LONGEST // 4)
    [fits] = verifier.verify([Sample(response=longest.strip(), reference=longest.strip()[::-1])])
    assert fits.outcome == "scored"
    [over] = verifier.verify([Sample(response=longest + "!!", reference="a b")])
    assert (over.outcome, over.reason_code) == ("invalid", "answer_too_long")
    [reference] = verifier.verify([Sample(response="a b", reference=[longest, "a b"])])
    assert (reference.outcome, reference.reason_code) == ("abstained", "reference_too_large")


def test_short_pairs_are_compared_at_once_and_long_ones_in_a_worker() -> None:
    verifier = registry.create("overlap", {})
    assert isinstance(verifier.triage(Sample(response="a b", reference="b a")), Verdict)
    assert not isinstance(verifier.triage(Sample(response="a b " * 1000, reference="b a " * 1000)), Verdict)
