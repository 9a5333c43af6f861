"""Where the reference goes, and what stands before it."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.likelihood.progress import cuts, policy_ends, surprising_cuts
from judges.likelihood.splice import Splice, context_of, splice_reference
from judges.questions import Turn
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict

QUESTION = "What is 4 x 10?"


def place(response: str, **fields: object) -> Splice:
    found = splice_reference(
        Sample.model_validate({"prompt": QUESTION, "response": response, **fields}), append=False, joint=""
    )
    assert isinstance(found, Splice), found
    return found


@pytest.mark.parametrize(
    ("response", "before", "bare"),
    [
        ("so it is \\boxed{41}.", "so it is \\boxed{", "\\boxed{"),
        ("<think>a</think><answer>41</answer>", "<think>a</think><answer>", "<answer>"),
        ("<think>a</think>\n<answer> 41 </answer>", "<think>a</think>\n<answer> ", "<answer>"),
        ("It is ten fours. The answer is 41.", "It is ten fours. The answer is ", ""),
        ("<think>ten fours</think>\n\nForty.", "<think>ten fours</think>\n\n", ""),
        ("first \\boxed{7}, no.\n\nSo \\boxed{41}", "first \\boxed{7}, no.\n\nSo \\boxed{", "\\boxed{"),
        ("日本語 \\boxed{四十}", "日本語 \\boxed{", "\\boxed{"),
    ],
)
def test_the_reference_takes_the_place_of_the_final_answer(response: str, before: str, bare: str) -> None:
    found = place(response)
    assert (found.before, found.bare) == (before, bare)
    spans = found.spans("40")
    assert spans.text == before + "40"
    [(start, end)] = spans.spans
    assert spans.text[start:end] == "40"
    assert found.without_reasoning("40").text == bare + "40"


def test_nothing_that_the_policy_wrote_behind_its_answer_is_read() -> None:
    assert place("so \\boxed{41} 40 40 40").spans("40").text == "so \\boxed{40"


def test_the_reasoning_is_a_span_of_its_own() -> None:
    spans = place("so \\boxed{41}").with_reasoning("40")
    assert [spans.text[start:end] for start, end in spans.spans] == ["40", "so \\boxed{"]


@pytest.mark.parametrize("response", ["40", "<answer>40</answer>"[8:-9], "", "\\boxed{}", "<think>40"])
def test_a_response_whose_words_could_not_matter_is_invalid(response: str) -> None:
    found = splice_reference(Sample(prompt=QUESTION, response=response), append=False, joint="")
    assert isinstance(found, Verdict)
    assert found.outcome == "invalid"


def test_appending_needs_no_final_answer() -> None:
    found = splice_reference(Sample(prompt=QUESTION, response="ten fours"), append=True, joint="\n\nAnswer: ")
    assert isinstance(found, Splice)
    assert found.spans("40").text == "ten fours\n\nAnswer: 40"
    assert found.without_reasoning("40").text == "\n\nAnswer: 40"


def test_thinking_that_was_separated_stands_where_the_policy_had_written_it() -> None:
    assert place("so \\boxed{41}", reasoning="ten fours").before == "<think>\nten fours\n</think>\n\nso \\boxed{"


def test_a_generation_prefix_comes_first_and_once() -> None:
    assert place("a</think>\\boxed{41}", prefix="<think>").before == "<think>a</think>\\boxed{"
    assert place("<think>a</think>\\boxed{41}", prefix="<think>").before == "<think>a</think>\\boxed{"


def test_in_a_conversation_the_last_turn_of_the_policy_is_what_is_said() -> None:
    response = [
        Message(role="assistant", content="let me look"),
        Message(role="tool", content="40"),
        Message(role="assistant", content="it says \\boxed{41}"),
    ]
    prompt, lead, said = context_of(Sample(prompt=QUESTION, response=response))
    assert prompt == (Turn("user", QUESTION), Turn("assistant", "let me look"), Turn("tool", "40"))
    assert (lead, said) == ("", "it says \\boxed{41}")


def test_parts_begin_at_white_space_and_cover_the_text() -> None:
    text = "one two three four five six seven eight"
    found = cuts(text, 4)
    assert (found[0], found[-1], len(found)) == (0, len(text), 5)
    assert found == sorted(set(found))
    assert all(text[place] == " " for place in found[1:-1])
    assert cuts("oneword", 4) == [0, 7]


@given(
    st.lists(st.floats(0, 20), min_size=0, max_size=200),
    st.integers(1, 64),
)
def test_each_part_has_as_many_branching_tokens(surprises: list[float], parts: int) -> None:
    tokens = [(4 * place + 4, surprise) for place, surprise in enumerate(surprises)]
    length = 4 * len(tokens) + 8
    found = surprising_cuts(tokens, parts, length)
    assert found == sorted(set(found))
    assert (found[0], found[-1]) == (0, length)
    assert len(found) == 1 + min(parts, len(tokens) + 1)
    count = max(parts - 1, math.ceil(len(tokens) / 5))
    least = min(sorted(surprises)[-count:], default=0.0) if count else 0.0
    assert all(dict(tokens)[cut] >= least for cut in found[1:-1])
    # a part begins with one, but the first, so the counts between two cuts differ by one at most
    branching = sorted(place for place, _ in sorted(tokens, key=lambda one: -one[1])[:count])
    counts = [sum(begin <= place < end for place in branching) for begin, end in pairwise(found)]
    if len(branching) >= parts:
        assert max(counts) - min(counts) <= 1


def test_a_turn_is_over_with_what_tools_said_to_it() -> None:
    roles = ["assistant", "tool", "assistant", "tool", "assistant"]
    sample = Sample(prompt=QUESTION, response=[Message(role=role, content="x") for role in roles])
    assert policy_ends(sample) == [2, 4, 5]
