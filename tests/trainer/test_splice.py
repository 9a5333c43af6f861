"""References behind sampled reasoning, with tokenizers that merge over the boundary."""

from __future__ import annotations

import pytest

from tests.judges.tiny import Family
from tests.judges.words import tokenizer
from trueward_trainer.splice import answer_place, splice_reference

FAMILIES: tuple[Family, ...] = ("llama", "qwen2", "gemma2")
SAID = "So x = 5 and y = 7.\n<answer> 12</answer>"


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("a <answer>b</answer>", "a <answer>"),
        ("<answer>1</answer> <answer> \n2", "<answer>1</answer> <answer> \n"),
        ("<answer>", "<answer>"),
        ("no marker", None),
    ],
)
def test_the_answer_begins_behind_the_last_marker_and_its_white_space(text: str, before: str | None) -> None:
    place = answer_place(text, "<answer>")
    assert (None if place is None else text[:place]) == before


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("reference", ["42", "x = 5", "é 漢🙂", "12</answer>"])
def test_the_row_says_the_reasoning_and_the_reference(family: Family, reference: str) -> None:
    words = tokenizer(family)
    tokens = [*words(SAID, add_special_tokens=False)["input_ids"], words.eos_token_id]
    place = answer_place(SAID, "<answer>")
    assert place is not None
    made = splice_reference(tokens, SAID, place, reference, words)
    assert made is not None
    assert words.decode(made.tokens) == SAID[:place] + reference
    answer = [token for token, own in zip(made.tokens, made.answer, strict=True) if own]
    assert words.decode(answer).strip().endswith(reference)
    own = [token for token, learns in zip(made.tokens, made.reasoning, strict=True) if learns]
    assert own == tokens[: len(own)]
    assert len(own) >= len(words(SAID[: place - 2], add_special_tokens=False)["input_ids"]) - 1


def test_a_token_over_the_boundary_is_the_references() -> None:
    """The tokenizer has `` answer`` as one token: the space that was sampled by itself is not reasoning any more."""
    words = tokenizer("qwen2")
    [merged] = words(" answer", add_special_tokens=False)["input_ids"]
    said = words("So =", add_special_tokens=False)["input_ids"]
    space = words.convert_tokens_to_ids("Ġ")
    made = splice_reference([*said, space], "So = ", 5, "answer", words)
    assert made is not None
    assert made.tokens == [*said, merged]
    assert made.answer == [*[0.0] * len(said), 1.0]
    assert made.reasoning == [*[1.0] * len(said), 0.0]


def test_odd_tokens_that_were_sampled_stay_as_they_are() -> None:
    words = tokenizer("qwen2")
    letters = [words.convert_tokens_to_ids(letter) for letter in "answer="]
    made = splice_reference(letters, "answer=", 7, "42", words)
    assert made is not None
    assert made.tokens[:7] == letters
    assert made.reasoning[:7] == [1.0] * 7


def test_a_reference_that_no_tokens_say_is_none() -> None:
    """A special token in it would not be text, and a text that its tokens do not say has no place to cut."""
    words = tokenizer("qwen2")
    tokens = words("x =", add_special_tokens=False)["input_ids"]
    assert splice_reference(tokens, "x =", 3, "5<|im_end|>", words) is None
    assert splice_reference(tokens, "y =", 3, "5", words) is None
