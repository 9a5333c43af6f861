"""An arbitrary constant may have another name; a letter that stands for a point, a set or an option may not."""

from __future__ import annotations

from fractions import Fraction
from string import ascii_letters, ascii_uppercase

import pytest
from hypothesis import assume, given, settings
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
    ("x^2+y^2=Cx", "x^2+y^2=cx"),
    ("x+y+cx=0", "x+y=Cx"),
    ("(x+y)\\ln|x|=c_1x", "(x+y)\\ln|x|+cx=0"),
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


BASES = (("e^x", "e^{-x}"), ("\\cos 2x", "\\sin 2x"), ("1", "x"), ("e^{3x}", "xe^{3x}"), ("\\cosh x", "\\sinh x"))
small = st.integers(-3, 3)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(BASES), st.tuples(small, small), st.tuples(small, small), st.sampled_from(["c_{}", "C_{}"]))
def test_a_family_of_solutions_is_itself_in_another_basis(
    basis: tuple[str, str], first: tuple[int, int], second: tuple[int, int], name: str
) -> None:
    assume(0 not in first or 0 not in second)  # else each is a multiple of one
    one, other = (" + ".join(f"{n}\\cdot {f}" for n, f in zip(row, basis, strict=True)) for row in (first, second))
    answer = f"y = {name.format(1)}\\cdot({one}) + {name.format(2)}\\cdot({other})"
    reference = f"y = c_1\\cdot {basis[0]} + c_2\\cdot {basis[1]}"
    spans = first[0] * second[1] != first[1] * second[0]
    assert (outcome(reference, answer) is Outcome.CORRECT) is spans
    moved = outcome(reference, f"{answer} + x^2")
    assert moved is not Outcome.CORRECT


@pytest.mark.parametrize(
    ("reference", "same", "other"),
    [
        (
            "Ae^{x}+Be^{-x}",
            ["A\\cosh x+B\\sinh x", "c_1\\sinh x+c_2\\cosh x"],
            ["Ae^x-Be^{-x}", "A\\cosh x+Be^x", "A\\cosh x+B\\cosh x", "A\\cosh 2x+B\\sinh 2x", "A\\cosh x+B\\sinh x+1"],
        ),
        (
            "c_1\\cos x+c_2\\sin x+\\frac{x}{2}\\sin x",
            ["A\\cos x+B\\sin x+\\frac{x\\sin x}{2}+\\cos x"],
            ["2c_1\\cos x-c_2\\sin x+\\frac{x}{2}\\sin x", "A\\cos x+B\\sin x+x\\sin x"],
        ),
        ("c_1+c_2x+c_3x^2", ["c_1+c_2(x-1)+c_3(x-1)^2"], ["c_1+c_2x+c_3(x-1)", "c_1+c_2x+c_3x^3"]),
        ("A\\cos x+B\\sin x", [], ["A\\sin x+B\\cos x", "A\\cos x-B\\sin x", "B\\cos x-A\\sin x"]),
    ],
)
def test_what_a_question_may_have_given_is_free_only_in_another_basis(
    reference: str, same: list[str], other: list[str]
) -> None:
    for answer in same:
        assert outcome(reference, answer) is Outcome.CORRECT, answer
    for answer in other:
        assert outcome(reference, answer) is not Outcome.CORRECT, answer
