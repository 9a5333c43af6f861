"""A value in a sentence has the unit that stands behind it, where no word of the sentence looks like that."""

from __future__ import annotations

import pytest

from trueward import Outcome, Sample
from verifiers.math import MathVerifier


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
        [verdict] = MathVerifier().verify([Sample(response=frame.format(written), reference=reference)])
        assert (verdict.outcome is Outcome.CORRECT) is (written in same), written
