"""A scope is the part of the response that it names, without the white space around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample
from verifiers.extract import NoAnswer
from verifiers.scope import Scope, extract_scope


def part(scope: Scope, sample: Sample) -> str:
    found = extract_scope(sample, scope)
    return found.reason_code if isinstance(found, NoAnswer) else found.text


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope.RESPONSE, "<think> a\nb </think>\nSo the answer is **c**."),
        (Scope.THINKING, "a\nb"),
        (Scope.ANSWER, "So the answer is **c**."),
        (Scope.FINAL, "c"),
    ],
)
def test_each_part_is_its_own(scope: Scope, expected: str) -> None:
    assert part(scope, Sample(response="\n<think> a\nb </think>\nSo the answer is **c**.\n")) == expected


def test_thinking_that_never_ends_is_all_thinking_and_no_answer() -> None:
    sample = Sample(response="a b", prefix="<think>\n")
    assert part(Scope.THINKING, sample) == "a b"
    assert part(Scope.ANSWER, sample) == "unclosed_thinking"
    assert part(Scope.RESPONSE, sample) == "a b"


def test_reasoning_that_the_server_took_out_is_the_thinking() -> None:
    sample = Sample(response="a b", reasoning=" hm ", prefix="<think>\n")
    assert part(Scope.THINKING, sample) == "hm"
    assert part(Scope.ANSWER, sample) == "a b"


@given(st.text(max_size=200), st.sampled_from(list(Scope)), st.none() | st.sampled_from(["<think>", "x"]))
def test_any_text_has_every_part_or_a_reason(text: str, scope: Scope, prefix: str | None) -> None:
    found = extract_scope(Sample(response=text, prefix=prefix), scope)
    assert isinstance(found, NoAnswer) or found.text == found.text.strip()
