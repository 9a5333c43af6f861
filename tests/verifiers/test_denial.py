"""A value that its sentence denies is no answer, in whatever the value is set and however it is denied."""

from __future__ import annotations

from itertools import product

import pytest

from trueward import Outcome, Sample
from verifiers.math import MathVerifier

WRITTEN = ("\\boxed{{{}}}", "$\\boxed{{{}}}$", "**\\boxed{{{}}}**", "\\fbox{{{}}}")
BEFORE = (
    "The answer is not {}.",
    "It isn't {}.",
    "The answer cannot be {}.",
    "La respuesta no es {}.",
    "Die Antwort ist nicht {}.",
    "答案不是{}。",
    "We have $x \\ne$ {}.",
)
AFTER = (
    "{} is wrong.",
    "{} is incorrect.",
    "{} is not the answer.",
    "{} would be wrong.",
    "{} isn't correct.",
    "{}是错的。",
    "{} est faux.",
    "{} ist falsch.",
)
HARMLESS = (
    "Decide whether it converges or not. {}",
    "whether it converges or not: {}",
    "The value is not 3, but {}.",
    "It is nothing other than {}.",
    "{} is right.",
    "{}, and not 3.",
    "If it were wrong we would see it. So {}.",
)


def outcome(response: str, reference: str) -> Outcome:
    (verdict,) = MathVerifier().verify([Sample(response=response, reference=reference)])
    return verdict.outcome


@pytest.mark.parametrize(("said", "written"), [*product(BEFORE + AFTER, WRITTEN)])
def test_a_denied_box_is_no_answer(said: str, written: str) -> None:
    denied = said.format(written.format("5"))
    assert outcome(denied, "5") is not Outcome.CORRECT
    assert outcome(f"{written.format('6')}\n\n{denied}", "6") is Outcome.CORRECT
    assert outcome(f"{denied} The answer is 6.", "6") is Outcome.CORRECT


@pytest.mark.parametrize(("said", "written"), [*product(HARMLESS, WRITTEN)])
def test_a_box_beside_another_negation_is_one(said: str, written: str) -> None:
    assert outcome(said.format(written.format("5")), "5") is Outcome.CORRECT


@pytest.mark.parametrize("name", ["wrong", "incorrect", "mistaken", "**wrong**"])
def test_what_is_called_the_wrong_answer_is_none(name: str) -> None:
    assert outcome(f"The {name} answer is 12.", "12") is not Outcome.CORRECT
    assert outcome(f"The {name} answer is 12. The right answer is 13.", "13") is Outcome.CORRECT


@pytest.mark.parametrize("said", ["12 is not the answer.", "12 is incorrect.", "The answer, 12, is not correct."])
def test_a_bare_number_that_is_denied_is_none(said: str) -> None:
    assert outcome(said, "12") is not Outcome.CORRECT


def test_boxes_without_end_that_are_denied_take_no_time() -> None:
    assert outcome("not \\boxed{1}, " * 5_000, "1") is Outcome.INVALID


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ('{"answer": 12}', "12"),
        ('{"answer": "12"}', "12"),
        ('```json\n{\n  "reasoning": "6*2 = 11?",\n  "final_answer": "12"\n}\n```', "12"),
        ('{"answer": "\\\\frac{1}{2}"}', "1/2"),
        ('{"confidence": 0.9, "answer": -2.5e3}', "-2500"),
        ('{"answer": "x = 5", "confidence": 0.9}', "5"),
    ],
)
def test_the_answer_of_a_json_object_is_its_value(written: str, reference: str) -> None:
    assert outcome(written, reference) is Outcome.CORRECT
    assert outcome(written, "0.9") is not Outcome.CORRECT
