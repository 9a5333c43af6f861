"""``label``: one label is read wherever it stands, two are hedging."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample, Verdict
from trueward.errors import InvalidParameters
from verifiers import registry

LABELS = ["spam", "not spam", "unsure", "needs a person"]
FRAMES = st.sampled_from(
    ["{}", "{}.", "It is {}", "**{}**", "The answer is {}.", "\\boxed{{{}}}", "<answer>{}</answer>"]
)


def judge(response: str, reference: JsonValue = "spam", labels: list[str] = LABELS) -> Verdict:
    verifier = registry.create("label", {"labels": [*labels]})
    return verifier.verify([Sample(response=response, reference=reference)])[0]


@given(st.sampled_from(LABELS), st.sampled_from(LABELS), FRAMES, st.booleans())
def test_a_label_is_read_in_any_frame_and_any_case(said: str, wanted: str, frame: str, upper: bool) -> None:
    verdict = judge(frame.format(said.upper() if upper else said), wanted)
    assert verdict.outcome == ("correct" if said == wanted else "incorrect"), verdict


@given(st.permutations(LABELS), st.integers(2, 4))
def test_several_labels_are_never_an_answer(order: list[str], count: int) -> None:
    assert judge(" or ".join(order[:count])).reason_code == "hedged"


@pytest.mark.parametrize("labels", [["one"], [], ["a", " A "], ["a", ""], ["a", "x" * 201]])
def test_labels_that_cannot_be_are_refused(labels: list[JsonValue]) -> None:
    with pytest.raises(InvalidParameters):
        registry.create("label", {"labels": labels})


def test_many_long_labels_and_a_hostile_answer_stay_cheap() -> None:
    labels = [f"{'a' * 195}{i:03d}" for i in range(200)]
    start = time.process_time()
    assert judge("not " + "a" * 490, labels[0], labels).reason_code == "no_label"
    # milliseconds are seen
    assert time.process_time() - start < 5


THOUGHTS = ["I first thought {}", "At first I assumed it was {}", "Initially, it seemed {}", "My first guess was {}"]


@given(
    st.sampled_from(THOUGHTS),
    st.sampled_from([", but ", ". However, ", "; yet ", ". "]),
    st.sampled_from(["the label is {}", "my final label is {}"]),
    st.permutations(["positive", "negative", "neutral"]),
)
def test_a_first_thought_that_is_taken_back_does_not_count(
    thought: str, turn: str, said: str, labels: list[str]
) -> None:
    first, final, third = labels
    taken_back = f"{thought.format(first)}{turn}{said.format(final)}"
    assert judge(taken_back, final, labels).reason_code == "same_label"
    assert judge(taken_back, first, labels).reason_code == "other_label"
    assert judge(f"{taken_back} or {third}", final, labels).reason_code == "hedged"
    assert judge(f"{thought.format(f'{first} or {third}')}{turn}{said.format(final)}", final, labels).score == 0
    assert judge(f"{thought.format(first)} and {said.format(final)}", final, labels).reason_code == "hedged"
    assert judge(f"{taken_back}, then {first}", final, labels).reason_code == "hedged"
