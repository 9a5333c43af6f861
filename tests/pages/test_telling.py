"""What a page is told of a sample: its thinking set apart, the answer that was read, and its way from the reference."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.audits.samples import Shown
from app.pages.inert import as_text
from app.pages.sample.difference import LONGEST, difference
from app.pages.sample.marks import answer_span
from app.pages.sample.view import TURNS, SampleFinding, describe_record, describe_sample
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from verifiers.regex import Match, RegexParams, RegexVerifier
from verifiers.scope import Scope


def passages(turns: list[Any]) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for turn in turns for one in turn.passages]


def marked(sample: Sample, evidence: dict[str, Any], outcome: Outcome = Outcome.INCORRECT) -> list[str]:
    shown = describe_sample(sample, [SampleFinding("v", outcome, evidence)])
    return [one.text[mark.start : mark.end] for turn in shown.response for one in turn.passages for mark in one.marks]


def test_thinking_is_set_apart_where_the_verifiers_set_it_apart() -> None:
    sample = Sample(response="<think>5?</think>\nSo 42.")
    assert passages(describe_sample(sample).response) == [("thinking", "<think>5?</think>"), ("text", "\nSo 42.")]
    opened = Sample(response="5?</think>So 42.", prefix="<think>\n")
    assert passages(describe_sample(opened).response) == [("thinking", "5?</think>"), ("text", "So 42.")]
    assert passages(describe_sample(Sample(response="[THINK]a[/THINK]b")).response)[0] == (
        "thinking",
        "[THINK]a[/THINK]",
    )


def test_thinking_that_never_ends_is_all_of_the_response() -> None:
    [turn] = describe_sample(Sample(response="<think>on and on")).response
    assert [(one.kind, one.closed) for one in turn.passages] == [("thinking", False)]


def test_a_prompt_thinks_nothing() -> None:
    sample = Sample(prompt="<think>quoted</think> why?", response="a")
    assert passages(describe_sample(sample).prompt) == [("text", "<think>quoted</think> why?")]


def test_messages_are_turns_with_all_that_they_hold() -> None:
    messages = [
        {"role": "assistant", "content": "a 42", "reasoning_content": "deep", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": [{"type": "image", "url": "u"}, {"type": "text", "text": "seen"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "42"}]},
        {"role": "assistant", "content": None},
    ]
    sample = Sample.model_validate({"response": messages})
    shown = describe_sample(sample)
    assert [(turn.role, turn.policy) for turn in shown.response] == [
        ("assistant", True),
        ("tool", False),
        ("assistant", True),
        ("assistant", True),
    ]
    kinds = [[one.kind for one in turn.passages] for turn in shown.response]
    assert kinds == [["thinking", "text", "data"], ["text", "data"], ["thinking", "text"], []]
    assert "tool_calls" in shown.response[0].passages[2].text


def test_separated_reasoning_comes_first_and_has_a_part_of_its_own() -> None:
    [turn] = describe_sample(Sample(response="42", reasoning="why")).response
    assert [(one.kind, one.text, one.part) for one in turn.passages] == [
        ("thinking", "why", "reasoning"),
        ("text", "42", ""),
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text("a<think>/ \n[]", max_size=30)), max_size=5))
def test_a_passage_stands_where_it_says(messages: list[tuple[str, str]]) -> None:
    """In the plain text that the page fetches the rest from, and in the text that spans count."""
    sent = [{"role": role, "content": text} for role, text in messages]
    sample = Sample.model_validate({"response": sent})
    whole, own = as_text(sent), sample.response_text
    for turn in describe_sample(sample).response:
        for one in turn.passages:
            assert one.start is not None
            assert whole[one.start : one.start + len(one.text)] == one.text
            if turn.policy:
                assert one.place is not None
                assert own[one.place : one.place + len(one.text)] == one.text


def test_the_extracted_answer_is_marked_where_the_rule_found_it() -> None:
    sample = Sample(response="5 apples, \\boxed{5}, that is 5 of 15.")
    evidence = {"extracted": "5", "rule": "boxed"}
    assert answer_span(sample, evidence) == (17, 18)
    assert marked(sample, evidence) == ["5"]


def test_without_a_rule_it_is_the_last_place_where_it_stands_alone_after_the_thinking() -> None:
    sample = Sample(response="<think>7</think>7 of 77, 1.7, 7.5 and x7")
    assert answer_span(sample, {"extracted": "7"}) == (16, 17)
    assert answer_span(Sample(response="<think>7</think>nothing"), {"extracted": "7"}) is None
    assert answer_span(Sample(response="77"), {"extracted": "7"}) is None


def test_all_of_the_answer_is_not_marked() -> None:
    sample = Sample(response="<think>a</think> Paris ")
    shown = describe_sample(
        sample, [SampleFinding("exact", Outcome.INCORRECT, {"extracted": "Paris", "rule": "whole"})]
    )
    assert [one.marked for one in shown.extracted] == [False]


@pytest.mark.parametrize("scope", ["response", "answer", "final"])
def test_the_match_of_an_expression_is_marked(scope: str) -> None:
    sample = Sample(response="  <think>ab12</think> so ab34 \\boxed{is ab56 here}\n", reference="unused")
    verifier = RegexVerifier(RegexParams(pattern="ab[0-9]+", mode="search", scope=Scope(scope)))
    task = verifier.triage(sample)
    assert isinstance(task, Match)
    evidence = verifier.check(task).evidence
    span = answer_span(sample, evidence)
    assert span is not None
    expected = {"response": "ab12", "answer": "ab34", "final": "ab56"}[scope]
    assert sample.response_text[slice(*span)] == evidence["match"] == expected


@pytest.mark.parametrize(
    "evidence",
    [
        {"extracted": 5},
        {"extracted": ""},
        {"extracted": "x", "rule": ["boxed"]},
        {"extracted": "x", "match": "y", "span": [5, 1]},
        {"extracted": "x", "match": "y", "span": ["a", "b"]},
        {"extracted": "x", "match": "y", "span": [0, 10**9]},
        {"match": "x", "span": None},
    ],
)
def test_evidence_of_any_form_marks_nothing_that_is_not_there(evidence: dict[str, Any]) -> None:
    assert marked(Sample(response="<think>x</think> 1 2 3"), evidence) == []


def test_the_way_from_the_reference_is_told_where_the_answer_is_wrong() -> None:
    sample = Sample(response="\\boxed{5/6}", reference=["9", "5/7"])
    evidence = {"extracted": "5/6", "rule": "boxed"}
    [one] = describe_sample(sample, [SampleFinding("math", Outcome.INCORRECT, evidence)]).extracted
    assert [(change.kind, change.text) for change in one.changes] == [("same", "5/"), ("gone", "7"), ("new", "6")]
    assert describe_sample(sample, [SampleFinding("math", Outcome.CORRECT, evidence)]).extracted[0].changes == []


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=100), st.text(max_size=100))
def test_changes_lead_from_the_reference_to_the_answer(reference: str, answer: str) -> None:
    changes = difference([reference], answer)
    if reference == answer:
        assert changes == []
    else:
        assert "".join(one.text for one in changes if one.kind != "new") == reference
        assert "".join(one.text for one in changes if one.kind != "gone") == answer


@pytest.mark.parametrize(
    ("reference", "kind"),
    [("\\frac{1}{2}", "formula"), ("1/2", "text"), ("so $\\pi$", "text"), ("C:\\temp", "text"), (["\\pi"], "text")],
)
def test_a_reference_in_tex_is_a_formula(reference: Any, kind: str) -> None:
    shown = describe_sample(Sample(response="a", reference=reference)).reference
    assert shown is not None
    assert shown.kind == kind


def test_long_texts_have_no_difference() -> None:
    assert difference(["a" * (LONGEST + 1)], "b") == []
    assert difference(["a b " * 300], "b a " * 300) == []
    assert difference([{"tests": []}, True, None], "b") == []


def test_the_last_turns_of_many_are_shown() -> None:
    sent = [{"role": "user", "content": str(number)} for number in range(TURNS + 5)]
    shown = describe_sample(Sample.model_validate({"prompt": sent, "response": "a"}))
    assert (len(shown.prompt), shown.further_prompt, shown.prompt[-1].passages[0].text) == (TURNS, 5, str(TURNS + 4))


def test_a_record_of_a_long_sample_is_told_by_its_beginning_and_end() -> None:
    common = {"record": "01", "created_at": "2026-01-01T00:00:00Z", "run": None, "outcome": "incorrect", "score": 0.0}
    texts = {"reason_code": "c", "reason": "r", "prompt": "<b>p", "response": "...end", "reference": "g"}
    long = Shown.model_validate({**common, **texts})
    assert describe_record(long) is None
    short = Shown.model_validate({**common, **texts, "content": {"response": "so \\boxed{5}"}, "by": "math"})
    short.evidence = {"extracted": "5", "rule": "boxed"}
    found = describe_record(short)
    assert found is not None
    assert [(one.by, one.marked) for one in found.extracted] == [("math", True)]
