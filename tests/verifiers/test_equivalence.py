"""Open answers: a reference that is said is found in any wrapping, and not paid where it is denied or one of many."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Outcome, Sample, Verdict
from verifiers.equivalence import EquivalenceVerifier
from verifiers.equivalence.words import words

PROMPT = "Which of them was it?"
references = st.sampled_from(
    [
        "Paris",
        "Mariah Carey",
        "four",
        "1996",
        "the Great Barrier Reef",
        "9 February 2018",
        "Chile and Argentina",
        "R. H. Thomson",
    ]
)
wrappers = st.sampled_from(
    ["{}", "{}.", "It was {}.", "The answer is {}", "**{}**", "\\boxed{{{}}}", "<think>hm</think>{}", "So {}!"]
)
denials = st.sampled_from(
    [
        "It was not {}.",
        "Anything but {}.",
        "{} is wrong.",
        "Certainly it wasn't {}",
        "Neither {} nor another.",
        "No, never {}.",
    ]
)
others = st.lists(st.sampled_from(["Lyon", "Rome", "Berlin", "Kabul", "Quito"]), min_size=2, max_size=5, unique=True)


def judged(response: str, reference: str, prompt: str = PROMPT) -> Verdict:
    return EquivalenceVerifier().verify([Sample(prompt=prompt, response=response, reference=reference)])[0]


@given(references, wrappers)
def test_a_reference_is_found_however_it_is_wrapped(reference: str, wrapper: str) -> None:
    assert judged(wrapper.format(reference), reference).outcome is Outcome.CORRECT


@given(references, denials)
def test_a_reference_that_is_denied_is_not_paid(reference: str, denial: str) -> None:
    assert judged(denial.format(reference), reference).outcome is not Outcome.CORRECT


@given(references, others, st.sampled_from([", ", ". ", " or ", "/", "; ", "\n", " and "]), st.data())
def test_one_of_many_answers_is_not_paid(reference: str, more: list[str], between: str, data: st.DataObject) -> None:
    response = between.join(data.draw(st.permutations([reference, *more])))
    assert judged(response, reference).outcome is not Outcome.CORRECT


@given(references, others)
def test_another_answer_is_wrong(reference: str, more: list[str]) -> None:
    assert judged(f"It was {more[0]}.", reference).reason_code == "other_answer"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("The twenty-one Judges' gowns", ["21", "judge", "gown"]),
        ("one thousand, nine hundred and ninety-six", ["1996"]),
        ("2.5 million people", ["2500000", "people"]),
        ("U.S.A. in the 3rd season", ["usa", "in", "3", "season"]),
        ("Zeebo1. and in 1,250 cities", ["zeebo", "and", "in", "1250", "city"]),
        ("São Tomé & Príncipe", ["sao", "tome", "and", "principe"]),
        ("", []),
    ],
)
def test_words_are_folded(text: str, read: list[str]) -> None:
    assert words(text) == read


@given(st.text(max_size=200))
def test_any_text_is_read_and_judged(text: str) -> None:
    words(text)
    assert judged(text, "Paris").reason_code != "unjudgeable_response"


@pytest.mark.parametrize(
    "piece", ["Paris, ", "not ", "two hundred ", "a.", "1,000", "Paris or ", "aaaa", "\u0301", "("]
)
def test_judging_takes_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        judged((piece * length)[:length], "Paris")
        return time.process_time() - start

    seconds(1_000)
    assert min(seconds(400_000) for _ in range(3)) < 30 * (min(seconds(40_000) for _ in range(3)) + 0.01)
