"""Extraction: the rules in their order, where they find the answer, and linear time on hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample
from verifiers.extract import Answer, NoAnswer, Policy, extract


def found(response: str, policy: Policy = Policy.MATH) -> str:
    answer = extract(Sample(response=response), policy)
    return f"{answer.rule}: {answer.text}" if isinstance(answer, Answer) else answer.reason_code


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("a \\boxed{1} b \\boxed{2}. The answer is 3.", "boxed: 2"),
        ("<answer>1</answer> The answer is 3.", "tag: 1"),
        ("The answer is 3.\n4 + 5", "marker: 3"),
        ("so 4 + 5 = 9", "last_expression: 4 + 5 = 9"),
        ("\\boxed{a{b}c\\}d}", "boxed: a{b}c\\}d"),
        ("\\boxed{1 \\boxed{2}}", "boxed: 1 \\boxed{2}"),
        ("\\boxed\n {2}", "boxed: 2"),
        ("the answer to the second question is 7, of course.", "marker: 7, of course"),
        ("**Result:** `12`", "marker: 12"),
        ("Answer = 12", "marker: 12"),
        ("answer:", "empty_answer"),
        ("There are two. $x=1$ and $x=2$", "last_expression: x=1, x=2"),
        ("It is 5.\n\nThank you for reading.", "last_expression: 5"),
        ("first line $x$\n\\begin{align}\n y &= 3\n\\end{align}", "last_expression: y &= 3"),
        ("I am sure.", "no_answer"),
    ],
)
def test_the_first_rule_that_finds_something_decides(response: str, expected: str) -> None:
    assert found(response) == expected


def test_a_span_points_at_the_answer_in_the_whole_response() -> None:
    response = "<think>\\boxed{1}</think>\nIt is $\\boxed{\\frac{2}{3}}$."
    answer = extract(Sample(response=response), Policy.MATH)
    assert isinstance(answer, Answer)
    assert answer.span is not None
    assert response[slice(*answer.span)] == answer.text == "\\frac{2}{3}"


@pytest.mark.parametrize("tag", ["think", "thinking", "THINK"])
def test_thinking_never_counts(tag: str) -> None:
    assert found(f"<{tag}>\\boxed{{1}}</{tag}>") == "no_answer"
    assert found(f"<{tag}>\\boxed{{1}}") == "unclosed_thinking"
    assert found(f"<{tag}>\\boxed{{1}}</{tag}>\\boxed{{2}}") == "boxed: 2"


def test_a_prefix_opens_the_thinking_unless_the_server_took_it_out() -> None:
    opened = Sample(response="\\boxed{1}", prefix="<|assistant|><think>\n")
    assert isinstance(extract(opened, Policy.MATH), NoAnswer)
    assert isinstance(extract(opened.model_copy(update={"reasoning": "hm"}), Policy.MATH), Answer)
    closed = opened.model_copy(update={"prefix": "<think></think>"})
    assert isinstance(extract(closed, Policy.MATH), Answer)


HOSTILE = {
    "open braces": "\\boxed{" + "{" * 1_000_000,
    "boxes that never close": "\\boxed{" * 100_000,
    "nested boxes": "\\boxed{" * 50_000 + "}" * 50_000,
    "box words": "box" * 300_000,
    "dollars": "$" * 1_000_000,
    "dollars with digits": "$1" * 300_000,
    "display openers": "\\[" * 300_000,
    "markers": "answer " * 100_000,
    "markers with blanks": ("answer" + " " * 50) * 20_000,
    "blanks after a marker": "the answer" + " " * 1_000_000,
    "new lines": "\n" * 1_000_000 + "1",
    "hashes": "#" * 1_000_000,
    "stars": "*" * 1_000_000,
    "lone letters": "a " * 500_000,
    "numbers": "1 " * 500_000,
    "think tags": "<think></think>" * 60_000,
    "angle brackets": "<" * 1_000_000,
    "answer tags": "<answer></answer>" * 60_000,
    "backslashes": "\\" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    text = HOSTILE[name]
    start = time.process_time()
    for policy in Policy:
        extract(Sample(response=text), policy)
    # one to two tenths of a second are seen; quadratic time on a million characters would take minutes
    assert time.process_time() - start < 20


@given(st.text(max_size=400), st.sampled_from(list(Policy)), st.none() | st.sampled_from(["<think>", "x"]))
def test_any_text_gives_an_answer_or_a_reason(text: str, policy: Policy, prefix: str | None) -> None:
    answer = extract(Sample(response=text, prefix=prefix), policy)
    assert isinstance(answer, (Answer, NoAnswer))
    if isinstance(answer, Answer):
        assert answer.text
        assert answer.span is None or 0 <= answer.span[0] < answer.span[1] <= len(text)


TOKENS = r"""\boxed{ } { $ $$ \[ \] <think> </think> <answer> </answer> ** 42 1/2 \frac{1}{2} x . , = - because ####"""
SCRAPS = st.sampled_from([*TOKENS.split(), "\n", " ", "The answer is ", "Answer:", "not "])


@given(st.lists(SCRAPS, max_size=30).map("".join), st.sampled_from(list(Policy)))
def test_any_pile_of_scraps_gives_an_answer_or_a_reason(text: str, policy: Policy) -> None:
    answer = extract(Sample(response=text), policy)
    if isinstance(answer, Answer) and answer.span:
        assert text[slice(*answer.span)].strip() == answer.text.strip()


MARKUP = st.sampled_from(["**", "__", "*", "_", "`", "x", "8", " ", ".", ",", "\n", "$", "(", ")", "not", "apples"])


@given(st.text(max_size=60), st.lists(MARKUP, max_size=12).map("".join), st.sampled_from(list(Policy)))
def test_an_answer_that_is_announced_among_any_markup_lies_behind_the_marker(
    before: str, phrase: str, policy: Policy
) -> None:
    text = f"{before}\nAnswer: {phrase}"
    answer = extract(Sample(response=text), policy)
    if isinstance(answer, Answer) and answer.rule == "marker" and answer.span and "nswer" not in before:
        assert answer.span[0] >= len(before) + len("\nAnswer:")
        assert answer.text in phrase


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("I do not know.\nAnswer: x__8__", "marker: 8"),
        ("The correct answer is Choice__C__: 12", "marker: C"),
        ("It is known.\n**Answer: 42** apples", "marker: 42"),
        ("It is known. Answer: **42** apples", "marker: 42"),
        ("It is known. Answer: 3 ** x", "marker: 3 ** x"),
    ],
)
def test_emphasis_in_an_announced_answer(response: str, expected: str) -> None:
    assert found(response) == expected
