"""An arbitrary constant may have another name; a letter that stands for a point, a set or an option may not."""

from __future__ import annotations

from string import ascii_letters, ascii_uppercase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trueward import Sample
from trueward.wire.verdict import Outcome
from verifiers.math import MathVerifier

VERIFIER = MathVerifier()
DRESSES = ("{}", "{}.", "({})", "\\text{{{}}}", "\\text{{({})}}", "\\mathbf{{{}}}", "\\textbf{{({})}}")


def outcome(reference: str, answer: str) -> Outcome:
    [verdict] = VERIFIER.verify([Sample(response=f"so it is $\\boxed{{{answer}}}$", reference=reference)])
    return verdict.outcome


@given(
    letters=st.lists(st.sampled_from(ascii_letters), min_size=2, max_size=2, unique_by=str.lower),
    dress=st.sampled_from(DRESSES),
    other=st.sampled_from(DRESSES),
)
def test_no_letter_is_another(letters: list[str], dress: str, other: str) -> None:
    reference, answer = letters
    assume({reference, answer} != {"i", "j"})  # both are the imaginary unit
    assert outcome(dress.format(reference), other.format(answer)) is not Outcome.CORRECT


@given(
    common=st.text(ascii_uppercase, min_size=1, max_size=2),
    letters=st.lists(st.sampled_from(ascii_uppercase), min_size=2, max_size=2, unique=True),
)
def test_no_segment_is_another(common: str, letters: list[str]) -> None:
    reference, answer = (f"{common}{letter}" for letter in letters)
    assert outcome(reference, answer) is not Outcome.CORRECT


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("C_1e^x+C_2e^{-x}", "Be^{-x}+Ae^{x}"),
        ("Ce^{2t}", "Ke^{2t}"),
        ("\\frac{x^3}{3}+C", "\\frac{x^3}{3}+c"),
        ("C\\cdot 2^n", "A\\cdot 2^n"),
        ("\\sin\\theta+C", "\\sin\\theta+c_1"),
    ],
)
def test_a_constant_of_a_family_of_functions_may_have_another_name(reference: str, answer: str) -> None:
    assert outcome(reference, answer) is Outcome.CORRECT
