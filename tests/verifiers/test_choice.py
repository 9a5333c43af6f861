"""Choices in prose: written any way, an option is found; denied, it is not; nothing is read twice."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample, Verdict
from verifiers.choice import ChoiceVerifier

CHOICES = {"A": "a short walk", "B": "the city of Paris", "C": "12 \\sqrt{3}", "D": "none of the above"}
letters = st.sampled_from("ABCD")
mentions = st.sampled_from(["Choice_{}", "Choice {}", "option ({})", "({})", "**Option {}**", "choice_{}", "选项{}"])
explained = st.sampled_from(
    ["", ".", ": as was to be shown, it follows from A and D", " - it holds", " (as computed)", ", which fits"]
)
conclusions = st.sampled_from(
    [
        "Solution: {}",
        "Conclusion: {}",
        "Therefore, the correct answer is {}",
        "Thus, the correct choice is: {}",
        "So the best option would be {}",
        "Step 9: Based on the analysis, the correct option is {}",
        "It follows that the most likely cause is {}",
    ]
)
before = st.sampled_from(
    [
        "Step 1: Choice A fails.\nStep 2: Choice C is close, but wrong.\n",
        "Analysing Choice_B: it may hold.\n\n",
        "I think about it. ",
    ]
)


def judged(response: str, reference: str) -> Verdict:
    return ChoiceVerifier().verify([Sample(response=response, reference=reference, metadata={"choices": CHOICES})])[0]


@given(letters, letters, mentions, explained, conclusions, before)
def test_the_option_of_a_conclusion_is_chosen(
    letter: str, reference: str, mention: str, explanation: str, conclusion: str, reasoning: str
) -> None:
    verdict = judged(reasoning + conclusion.format(mention.format(letter)) + explanation, reference)
    assert verdict.reason_code == ("same_choice" if letter == reference else "other_choice"), verdict


@given(
    letters,
    st.sampled_from(
        [
            "not {}",
            "It is not {}.",
            "Choice {} is wrong.",
            "{} can be ruled out",
            "anything but ({})",
            "This rules out {}",
            "{} is rejected",
            "\\boxed{{\\neg {}}}",
            "\\boxed{{\\overline{{{}}}}}",
            "\\boxed{{\\cancel{{\\text{{{}}}}}}}",
        ]
    ),
)
def test_an_option_that_is_denied_is_never_chosen(letter: str, denial: str) -> None:
    assert judged(denial.format(letter), letter).reason_code in ("no_choice", "denied_answer")


@given(st.lists(letters, min_size=2, max_size=4, unique=True), st.data())
def test_several_right_options_are_all_to_be_named(right: list[str], data: st.DataObject) -> None:
    reference = "".join(sorted(right))
    said = data.draw(st.permutations(right))
    for form in ("", ", ", " and ", "、"):
        assert judged(f"Answer: {form.join(said)}", reference).reason_code == "same_choice"
    fewer = said[:-1]
    assert judged(f"Answer: {', '.join(fewer)}", reference).reason_code == "other_choice"


@pytest.mark.parametrize(
    "ending", ["None of the choices (A, B, C or D) is correct.", "The answer cannot be determined."]
)
def test_a_response_that_finds_none_right_chooses_none(ending: str) -> None:
    assert judged(f"Choice A is most likely wrong, so Choice B may be right.\n{ending}", "B").outcome == "invalid"


@pytest.mark.parametrize(
    "piece", ["Therefore Choice_A, ", "so the answer choice ", "so A, ", "Solution: ", "so\n", "not ", "选"]
)
def test_reading_takes_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        judged((piece * length)[:length], "B")
        return time.process_time() - start

    seconds(1_000)
    assert min(seconds(400_000) for _ in range(3)) < 30 * (min(seconds(40_000) for _ in range(3)) + 0.005)
