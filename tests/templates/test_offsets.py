"""Rewards of spans on the tokens of real tokenizers: the characters of each, and what is placed on them."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.templates.families import FAMILIES, tokenizer_of
from trueward.trainers.alignment import Place, token_rewards, tokens_of_spans
from trueward_trainer.offsets import offsets_of

pytestmark = pytest.mark.template

TEXT = (
    "So x = 5, and 42 é 漢字 🙂 is 3.14159.\n\nThat  is\tall: \\boxed{\\frac{1}{2}}.\n\n"
    "  <think>ok</think> 👩‍👩‍👧 naïve"
)


def ids_of(family: str, text: str) -> list[int]:
    ids: list[int] = tokenizer_of(family)(text, add_special_tokens=False)["input_ids"]
    return ids


@pytest.mark.parametrize("family", FAMILIES)
def test_every_character_belongs_to_a_token(family: str) -> None:
    tokens = ids_of(family, TEXT)
    said = str(tokenizer_of(family).decode(tokens, skip_special_tokens=True))
    assert said == TEXT
    found = offsets_of(tokens, said, tokenizer_of(family))
    assert found is not None
    assert {place for begin, end in found for place in range(begin, end)} == set(range(len(TEXT)))


@pytest.mark.parametrize("family", FAMILIES)
def test_plain_words_have_the_tokenizer_s_own_offsets(family: str) -> None:
    plain = "So x = 5, and 42 is the answer.\n\nThat is all."
    made = tokenizer_of(family)(plain, add_special_tokens=False, return_offsets_mapping=True)
    found = offsets_of(made["input_ids"], plain, tokenizer_of(family))
    assert found is not None
    assert [end for _, end in found] == [end for _, end in made["offset_mapping"]]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("place", ["last", "spread"])
def test_the_rewards_of_steps_are_all_placed_and_each_in_its_step(family: str, place: Place) -> None:
    found = offsets_of(ids_of(family, TEXT), TEXT, tokenizer_of(family))
    assert found is not None
    steps = [one.span() for one in re.finditer(r"\S(?:.(?!\n\n))*.?", TEXT)]
    assert len(steps) == 3
    rewards = [1.0, -0.5, 0.25]
    placed = token_rewards(found, steps, rewards, place=place)
    assert math.isclose(sum(placed), sum(rewards))
    for tokens, (begin, end) in zip(tokens_of_spans(found, steps), steps, strict=True):
        assert tokens
        assert found[tokens[0]][0] <= begin < found[tokens[0]][1]
        assert found[tokens[-1]][0] < end <= found[tokens[-1]][1]


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=60), family=st.sampled_from(FAMILIES))
def test_whatever_was_sampled_is_covered(text: str, family: str) -> None:
    tokens = ids_of(family, text)
    said = str(tokenizer_of(family).decode(tokens, skip_special_tokens=True))
    found = offsets_of(tokens, said, tokenizer_of(family))
    assert found is not None
    assert {place for begin, end in found for place in range(begin, end)} == set(range(len(said)))
