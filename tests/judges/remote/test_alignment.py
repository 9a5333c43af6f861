"""Tokens of another tokenizer and the characters that they cover."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.base import Unaskable
from judges.remote.alignment import align_tokens, covering


def test_the_token_at_the_border_begins_before_the_text() -> None:
    assert align_tokens(["<s>", "Say", ":\n", " four", "."], "four.") == [(0, 0), (0, 0), (0, 0), (0, 4), (4, 5)]


def test_tokens_of_one_character_cover_it_all() -> None:
    assert align_tokens(["a", "", "", "答", "b"], "a答b") == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
    assert align_tokens(["a", "�", "�", "�", "b"], "a答b") == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
    assert align_tokens(["x", "", "", "答"], "答") == [(0, 0), (0, 1), (0, 1), (0, 1)]


def test_a_text_with_the_replacement_character_itself_is_read() -> None:
    assert align_tokens(["a", "�", "b"], "a�b") == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    "tokens",
    [
        ["four"],
        [],
        ["fi", "xe"],
        ["five", "x"],
        ["fi", "�", "e"],
        ["�"] * 5,
    ],
)
def test_tokens_that_do_not_give_the_text_are_refused(tokens: list[str]) -> None:
    with pytest.raises(Unaskable):
        align_tokens(tokens, "five")


@given(
    st.lists(st.text(st.characters(exclude_characters="�"), min_size=1, max_size=4), min_size=1), st.text(max_size=5)
)
def test_whole_tokens_get_the_characters_that_they_are(tokens: list[str], before: str) -> None:
    text = "".join(tokens)
    offsets = align_tokens([*([before] if before else []), *tokens], text)[-len(tokens) :]
    assert [text[a:b] for a, b in offsets] == tokens
    assert covering(offsets, (0, len(text))) == list(range(len(tokens)))
