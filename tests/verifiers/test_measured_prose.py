"""A value in a sentence has the unit behind it and the sign before it, and is not what it is worked out with."""

from __future__ import annotations

import pytest

from trueward import Outcome, Sample
from verifiers.math import MathVerifier


def judged(response: str, reference: str) -> Outcome:
    return MathVerifier().verify([Sample(response=response, reference=reference)])[0].outcome


@pytest.mark.parametrize(
    ("reference", "same", "other"),
    [
        ("5\\text{ cm}", ["5 cm", "50 mm", "0.05 meters"], ["5 km", "5 cm^2", "5 meters", "5 kg"]),
        ("\\$15", ["15 dollars", "1500 cents"], ["15 cents"]),
        ("12:30 PM", ["12:30 PM", "12:30 p.m."], ["12:30 AM", "12:30 a.m."]),
        ("72\\text{ km/h}", ["72 km/h"], ["72 km"]),
        ("5", ["5 km", "5 cm/s", "5 feet", "5 PM", "5 kg"], ["6 km"]),
    ],
)
@pytest.mark.parametrize("frame", ["The train does {} here.", "It is {}.", "Thus x = 3 and it takes {}, as asked."])
def test_a_value_in_a_sentence_has_its_unit(reference: str, same: list[str], other: list[str], frame: str) -> None:
    for written in (*same, *other):
        assert (judged(frame.format(written), reference) is Outcome.CORRECT) is (written in same), written


@pytest.mark.parametrize("number", ["42", "$42$", "\\(42\\)"])
@pytest.mark.parametrize("before", ["It is ", "So we get ", ""])
def test_a_minus_in_words_is_the_sign_of_a_number(before: str, number: str) -> None:
    for sign in ("minus ", "negative "):
        assert judged(f"{before}{sign}{number}.", "-42") is Outcome.CORRECT
        assert judged(f"{before}{sign}{number}.", "42") is not Outcome.CORRECT


@pytest.mark.parametrize("operation", ["times", "plus", "minus", "divided by"])
def test_a_number_that_another_is_worked_out_with_is_no_answer(operation: str) -> None:
    assert judged(f"So it is 6 {operation} 7.", "7") is not Outcome.CORRECT
    assert judged(f"So it is six {operation} $7$.", "7") is not Outcome.CORRECT
    value = {"times": "42", "plus": "13", "minus": "-1", "divided by": "6/7"}[operation]
    assert judged(f"So it is 6 {operation} 7 = {value}.", value) is Outcome.CORRECT
