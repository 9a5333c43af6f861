"""An arbitrary constant may have another name; a letter that stands for a point, a set or an option may not."""

from __future__ import annotations

from fractions import Fraction
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


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("\\frac{x^3}{3}+C", "\\frac{x^3}{3}-C"),
        ("\\ln|x|+C", "2C+\\ln|x|"),
        ("\\frac{x^2}{2}+x+C", "\\frac{x^2+2x}{2}-k"),
        ("\\cos^2 x+C", "3C-\\sin^2 x+1"),
        ("y=Ce^{2x}", "y=-Ce^{2x}"),
        ("C_1e^x+C_2e^{-x}", "C_2e^x+C_1e^{-x}"),
        ("C_1e^x+C_2e^{-x}", "C_1e^x-C_2e^{-x}"),
        ("c_1\\cos 2x+c_2\\sin 2x", "B\\sin 2x-A\\cos 2x"),
    ],
)
def test_a_family_is_itself_with_its_constants_turned_or_exchanged(reference: str, answer: str) -> None:
    assert outcome(reference, answer) is Outcome.CORRECT
    assert outcome(answer, reference) is Outcome.CORRECT


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("\\frac{x^3}{3}+C", "\\frac{x^3}{3}+Cx"),
        ("\\frac{x^3}{3}+C", "\\frac{x^3}{3}+0C"),
        ("\\frac{x^3}{3}+C", "\\frac{x^3}{3}+C^2"),
        ("\\frac{x^3}{3}+C", "C\\frac{x^3}{3}"),
        ("\\frac{x^3}{3}+C", "-\\frac{x^3}{3}-C"),
        ("\\frac{x^3}{3}+C", "\\frac{x^3}{3}"),
        ("\\frac{x^2}{2}+x+C", "\\frac{(x+2)^2}{2}+C"),
        ("\\sin^2 x+C", "C+\\cos^2 x"),
        ("\\sin^2 x", "1-\\cos^2 x+C"),
        ("\\sin^2 x+C", "-\\cos^2 x"),
        ("e^x+C", "e^{x+C}"),
        ("C_1e^x+C_2e^{-x}", "C_1e^x+C_1e^{-x}"),
        ("C_1e^x+C_2e^{-x}", "C_1e^x+C_2e^{x}"),
        ("Ax+By+C=0", "Ax+By-C=0"),
        ("x^2+c", "x^2-c"),
        ("ax^2+bx+c", "ax^2+bx-c"),
        ("A\\cos kx+B", "A\\cos kx-B"),
    ],
)
def test_another_family_or_a_number_that_is_given_is_not_equal(reference: str, answer: str) -> None:
    assert outcome(reference, answer) is not Outcome.CORRECT
    assert outcome(answer, reference) is not Outcome.CORRECT


@given(
    powers=st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True),
    factor=st.fractions(-9, 9, max_denominator=9).filter(bool),
)
def test_an_added_constant_takes_up_a_factor_and_a_number(powers: list[int], factor: Fraction) -> None:
    varying = "+".join(f"\\frac{{x^{power}}}{{{power}}}" for power in powers)
    number = f"\\frac{{{factor.numerator}}}{{{factor.denominator}}}"
    assert outcome(f"{varying}+C", f"{varying}+{number}C") is Outcome.CORRECT
    assert outcome(f"{varying}+C", f"{varying}+{number}C+{number}x^7") is not Outcome.CORRECT
    assert outcome(f"{varying}+C", f"{varying}+{number}C+{number}") is Outcome.CORRECT


SAME_CURVES = [
    ("\\ln|y|=x+C", "y=Ce^x"),
    ("y=e^{x+C}", "y=Ce^x"),
    ("y^2=x^2+C", "x^2-y^2=C"),
    ("y=\\sqrt{x^2+C}", "y^2=x^2+C"),
    ("\\frac{1}{y}+x=C", "y=\\frac{1}{C-x}"),
    ("\\arctan y=x+C", "y=\\tan(x+C)"),
    ("x^2y+y^3=C", "3x^2y+3y^3=C"),
    ("e^y=e^x+C", "y=\\ln(e^x+C)"),
    ("ye^{x^2}=C", "y=Ce^{-x^2}"),
    ("\\frac{x}{y}+\\ln|y|=C", "x+y\\ln|y|=Cy"),
    ("y=Cx", "\\ln|y|=\\ln|x|+C"),
]
OTHER_CURVES = [
    ("y=Cx^2", "y=Cx"),
    ("xy=C", "y=Cx"),
    ("C=2x+3y", "C=4x+6y"),
    ("y=x+C", "y=2x+C"),
    ("y=\\tan(x)+C", "y=\\tan(x+C)"),
    ("ye^{x^2}=C", "y=Ce^{x^2}"),
    ("y-x=3", "x-y=3"),
    ("y=x^2+3", "y=x^2+C"),
    ("y^3=x+C", "y=(3x+C)^{1/3}"),
    ("Ax+By=C", "2Ax+2By=C"),
]


@pytest.mark.parametrize(("one", "other"), SAME_CURVES)
def test_solutions_of_one_equation_are_one_family_of_curves(one: str, other: str) -> None:
    assert outcome(one, other) is Outcome.CORRECT
    assert outcome(other, one) is Outcome.CORRECT


@pytest.mark.parametrize(("one", "other"), OTHER_CURVES)
def test_other_curves_and_named_quantities_are_not(one: str, other: str) -> None:
    assert outcome(one, other) is Outcome.INCORRECT
    assert outcome(other, one) is Outcome.INCORRECT
