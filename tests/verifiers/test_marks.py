"""Signs that a script writes beside its letters make other words, wherever words are compared."""

from __future__ import annotations

import unicodedata

import pytest
from pydantic import JsonValue

from trueward import Sample
from verifiers import registry
from verifiers.equivalence.words import words
from verifiers.marks import is_accent
from verifiers.overlap import rouge_words

LETTERS = {"DEVANAGARI": "क", "BENGALI": "ক", "TAMIL": "க", "TELUGU": "క", "THAI": "ก", "KHMER": "ក", "MYANMAR": "က"}
SIGNS = [
    (letter, chr(code))
    for script, letter in LETTERS.items()
    for code in range(ord(letter) & ~0x7F, (ord(letter) & ~0x7F) + 0x100)
    if unicodedata.name(chr(code), "").startswith((f"{script} VOWEL SIGN", f"{script} CHARACTER SARA"))
    and unicodedata.category(chr(code)) in ("Mn", "Mc")
]


def test_the_scripts_have_signs() -> None:
    assert len(SIGNS) > 70


@pytest.mark.parametrize(("letter", "sign"), SIGNS)
def test_a_vowel_makes_another_word(letter: str, sign: str) -> None:
    one, other = f"{letter}{sign}{letter}", f"{letter}{letter}"
    assert words(one) != words(other)
    assert len(words(one)) == 1
    assert rouge_words(one) != rouge_words(other)
    for name in ("equivalence", "overlap", "qa", "exact"):
        [verdict] = registry.create(name, {}).verify([Sample(prompt="?", response=one, reference=other)])
        assert not verdict.score, (name, one, other)


def test_a_voiced_kana_is_another_word() -> None:
    assert words("がき") != words("かき")


@pytest.mark.parametrize(("one", "other"), [("café", "cafe"), ("Nguyễn", "nguyen"), ("كَتَبَ", "كتب"), ("שָׁלוֹם", "שלום")])
def test_accents_and_vowel_points_make_none(one: str, other: str) -> None:
    assert words(one) == words(other)


def test_either_form_of_an_accent_is_the_same_text() -> None:
    for measure in ("rouge_l", "bleu", "gleu", "edit"):
        sample = Sample(response="a cafe\u0301 in town here", reference="a café in town here")
        [verdict] = registry.create("overlap", {"measure": measure}).verify([sample])
        assert verdict.score == pytest.approx(1)


def test_a_label_does_not_end_before_a_vowel() -> None:
    labels: list[JsonValue] = ["राम", "श्याम"]
    [verdict] = registry.create("label", {"labels": labels}).verify([Sample(response="रामायण है", reference="राम")])
    assert verdict.reason_code == "no_label"


def test_what_is_an_accent() -> None:
    assert is_accent("\u0301")
    assert not is_accent("\u094d")


def test_ligatures_of_phrases_do_not_make_a_text_many_times_as_long() -> None:
    assert sum(map(len, words("ﷺ" * 1_000))) <= 4_000
    assert words("ﷺ and peace upon him")[-1] == "him"
