"""Where steps are: every character that says something is in one step, in order, in linear time."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.process_reward.aggregate import AGGREGATES, first_error
from judges.process_reward.implicit import implicit
from judges.process_reward.steps import paragraphs, split_marked, split_numbered, steps_of
from judges.questions import Answer
from trueward.wire.sample import Sample

TEXT = st.text(st.sampled_from("ab1.) \n\tS#*"), max_size=60)


@given(TEXT)
def test_only_white_space_lies_between_paragraphs(text: str) -> None:
    spans = paragraphs(text)
    outside = list(text)
    before = 0
    for start, end in spans:
        assert before <= start < end
        assert text[start:end] == text[start:end].strip()
        outside[start:end] = [" "] * (end - start)
        before = end
    assert not "".join(outside).strip()


@given(TEXT)
def test_numbered_steps_lose_nothing_either(text: str) -> None:
    assert "".join("".join(text[a:b].split()) for a, b in split_numbered(text)) == "".join(text.split())


def test_markdown_headings_and_bold_numbers_begin_steps() -> None:
    text = "### Step 1: add\nsome\n**Step 2**\nmore\n3. end\n10) last\nin 2024. no"
    assert [text[a:b].splitlines()[0] for a, b in split_numbered(text)] == [
        "### Step 1: add",
        "**Step 2**",
        "3. end",
        "10) last",
    ]


def test_a_marker_belongs_to_no_step() -> None:
    text = "<s>one<s>two<s>"
    assert [text[a:b] for a, b in split_marked(text, "<s>")] == ["one", "two"]


@pytest.mark.parametrize("split", ["paragraphs", "numbered", "marker", "turns"])
@pytest.mark.parametrize(
    "text", ["\n \n" * 200_000, "1. " * 200_000, "\n" * 500_000, "step 1" * 100_000, " " * 500_000]
)
def test_hostile_text_is_split_in_linear_time(split: str, text: str) -> None:
    start = time.process_time()
    steps_of(Sample(response=text), split, "\n")  # type: ignore[arg-type]
    assert time.process_time() - start < 3.0


def test_the_five_aggregates_of_one_response() -> None:
    found = {name: AGGREGATES[name]([0.9, 0.5, 0.8]) for name in ("min", "product", "last", "mean", "geometric_mean")}
    assert found == pytest.approx(
        {"min": 0.5, "product": 0.36, "last": 0.8, "mean": 0.733333, "geometric_mean": 0.711379}, abs=1e-6
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_aggregates_of_probabilities_are_finite_even_at_the_edges(scores: list[float]) -> None:
    for name, aggregate in AGGREGATES.items():
        assert math.isfinite(aggregate(scores)), name
    assert AGGREGATES["product"](scores) <= AGGREGATES["min"](scores) + 1e-12


def test_the_first_wrong_step_is_the_first_below_the_threshold() -> None:
    assert first_error([0.9, 0.4, 0.1], 0.5) == 1
    assert first_error([0.9, 0.5], 0.5) == -1


def test_implicit_rewards_of_steps_add_up_to_that_of_the_response() -> None:
    ids, offsets = ((1, 2, 3, 4),), (((0, 2), (2, 4), (4, 6), (6, 9)),)
    answer = Answer(rows=((-0.2, -1.0, -0.5, -0.1),), token_ids=ids, offsets=offsets)
    reference = Answer(rows=((-0.5, -0.9, -0.5, -0.3),), token_ids=ids, offsets=offsets)
    found = implicit(answer, reference, [(0, 3), (4, 8)], 1.0)
    assert found.tokens == pytest.approx([0.3, -0.1, 0.0, 0.2])
    assert found.steps == pytest.approx([0.3, 0.1])


def test_two_models_that_cut_a_response_apart_differently_are_not_compared() -> None:
    from judges.base import Unaskable

    answer = Answer(rows=((-0.2,),), token_ids=((1,),), offsets=(((0, 2),),))
    with pytest.raises(Unaskable, match="different tokens"):
        implicit(answer, Answer(rows=((-0.2,),), token_ids=((2,),), offsets=(((0, 2),),)), [(0, 2)], 1.0)
