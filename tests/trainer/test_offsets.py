"""Characters of tokens as they were sampled, which are not always those that a tokenizer would make of the text."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from transformers import PreTrainedTokenizerFast

from tests.judges.tiny import Family
from tests.judges.words import tokenizer
from trueward_trainer import offsets
from trueward_trainer.offsets import offsets_of

TEXT = "So x = 5, and 42 é 漢字 🙂 is the answer.\n\nThat  is all."
FAMILIES: tuple[Family, ...] = ("llama", "qwen2", "gemma2")


def said(words: PreTrainedTokenizerFast, tokens: list[int]) -> str:
    return str(words.decode(tokens, skip_special_tokens=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_tokenizers_own_tokens_have_its_own_offsets(family: Family) -> None:
    words = tokenizer(family)
    plain = "So x = 5, and 42 is the answer.\n\nThat  is all."
    made = words(plain, add_special_tokens=False, return_offsets_mapping=True)
    found = offsets_of(made["input_ids"], plain, words)
    assert found is not None
    assert [end for _, end in found] == [end for _, end in made["offset_mapping"]]


@pytest.mark.parametrize("family", FAMILIES)
def test_tokens_of_one_character_all_have_it(family: Family) -> None:
    words = tokenizer(family)
    tokens = words(TEXT, add_special_tokens=False)["input_ids"]
    found = offsets_of(tokens, TEXT, words)
    assert found is not None
    place = TEXT.index("🙂")
    holders = [span for span in found if span[0] <= place < span[1]]
    assert len(holders) > 1
    assert {span[1] for span in holders[:-1]} == {place + 1}


@pytest.mark.parametrize("family", FAMILIES)
def test_sampled_tokens_cover_the_text_in_order(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was sampled: words cut otherwise, bytes that are no characters, special tokens."""
    words, draw = tokenizer(family), random.Random(3)
    for length in (1, 7, 150):
        tokens = [draw.randrange(len(words)) for _ in range(length)]
        text = said(words, tokens)
        found = offsets_of(tokens, text, words)
        assert found is not None
        for before, after in pairwise(found):
            assert after[0] in (before[0], before[1])
        special = [span for token, span in zip(tokens, found, strict=True) if token in words.all_special_ids]
        assert all(begin == end for begin, end in special)
        assert {place for begin, end in found for place in range(begin, end)} == set(range(len(text)))
        monkeypatch.setattr(offsets, "WINDOW", 10_000)
        assert offsets_of(tokens, text, words) == found
        monkeypatch.undo()


def test_words_that_were_sampled_in_pieces_keep_their_pieces() -> None:
    words = tokenizer("qwen2")
    letters = [words.convert_tokens_to_ids(letter) for letter in "answer"]
    whole = words(" answer", add_special_tokens=False)["input_ids"]
    assert len(whole) < len(letters)
    assert offsets_of(letters, "answer", words) == [(place, place + 1) for place in range(6)]


def test_an_end_token_has_no_characters_and_another_text_none_at_all() -> None:
    words = tokenizer("qwen2")
    tokens = [*words("42", add_special_tokens=False)["input_ids"], words.eos_token_id]
    found = offsets_of(tokens, "42", words)
    assert found is not None
    assert found[-1] == (2, 2)
    assert offsets_of(tokens, "43", words) is None
    assert offsets_of([words.eos_token_id], "", words) == [(0, 0)]
