"""A derivative is what small steps say it is, and what has none that is not 0 is constant."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trueward import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.math import MathVerifier
from verifiers.math.algebra.derivative import derivative, gradient, is_constant, vanishes_somewhere
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import Node, Number, Sum, negative
from verifiers.math.algebra.probe import NoValue, evaluate
from verifiers.math.verifier import MathParams

VERIFIER = MathVerifier()
UP_TO_CONSTANT = MathVerifier(MathParams(up_to_constant=True))
STEP = 1e-5


def judged(answer: str, reference: str) -> Verdict:
    (found,) = UP_TO_CONSTANT.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return found


FUNCTIONS = (
    "\\sin", "\\cos", "\\tan", "\\cot", "\\sec", "\\csc", "\\sinh", "\\cosh", "\\tanh", "\\coth", "\\ln", "\\lg",
    "\\arcsin", "\\arccos", "\\arctan", "arccot", "arsinh", "arcosh",
    "artanh", "arcsec", "arccsc",
)  # fmt: skip
_LEAVES = st.sampled_from(["x", "2", "\\frac{3}{7}", "(x+1)", "x^2", "\\sqrt{x}", "|x|", "2^x", "x^x", "e^{-x}"])
_EXPRESSIONS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds("({}+{})".format, inner, inner),
        st.builds("({}-{})".format, inner, inner),
        st.builds("{}\\cdot {}".format, inner, inner),
        st.builds("\\frac{{{}}}{{{}}}".format, inner, inner),
        st.builds("{}({})".format, st.sampled_from(FUNCTIONS), inner),
    ),
    max_leaves=4,
)


def read(text: str) -> Node:
    found = expression(text)
    assert found is not None, text
    return found


def at(node: Node, x: float) -> float:
    value, error = evaluate(node, {"x": x})
    assume(error < 1e-9 * (1 + abs(value)))
    return float(value.real)


@given(text=_EXPRESSIONS, x=st.floats(0.05, 3))
def test_a_derivative_is_the_slope_of_small_steps(text: str, x: float) -> None:
    node = read(text)
    slope = derivative(node, "x")
    assert slope is not None
    try:
        before, after, here, found = at(node, x - STEP), at(node, x + STEP), at(node, x), at(slope, x)
        between = [at(node, x + STEP / 2), at(node, x - STEP / 2)]
    except (NoValue, ArithmeticError, ValueError):
        assume(False)
    by_steps, closer = (after - before) / (2 * STEP), (between[0] - between[1]) / STEP
    assume(abs(by_steps - closer) < 1e-5 * (1 + abs(closer)) and abs(here) < 1e6)  # smooth here
    assert found == pytest.approx(closer, rel=1e-3, abs=1e-3)


@given(text=_EXPRESSIONS, number=st.fractions(-9, 9, max_denominator=9).filter(bool))
def test_what_differs_by_a_number_has_a_constant_difference_that_vanishes_nowhere(text: str, number: Fraction) -> None:
    node = read(text)
    gap = Sum((node, Number(number), negative(node)))
    assert not vanishes_somewhere(gap)
    assert not is_constant(Sum((gap, read("x"))))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\\ln|x+1|-\\ln|x|", "\\ln|\\frac{x+1}{x}|"),
        ("\\frac12\\ln|x-1|-\\frac12\\ln|x+1|", "\\frac12\\ln|\\frac{x-1}{x+1}|"),
        ("\\ln|x^2-1|", "\\ln|x-1|+\\ln|x+1|"),
        ("\\ln|\\sec x+\\tan x|", "-\\ln|\\sec x-\\tan x|"),
        ("\\arcsin x", "\\arctan\\frac{x}{\\sqrt{1-x^2}}"),
        ("\\ln(\\sqrt{x+1}-\\sqrt{x})", "-\\ln(\\sqrt{x+1}+\\sqrt{x})"),
        ("\\ln(xy)", "\\ln x+\\ln y"),
    ],
)
def test_equalities_that_no_canonical_form_decides(one: str, other: str) -> None:
    gap = Sum((read(one), negative(read(other))))
    assert is_constant(gap)
    assert vanishes_somewhere(gap)


@pytest.mark.parametrize("text", ["\\lfloor x\\rfloor", "x!", "\\max(x, 1)", "i x", "sgn(x)"])
def test_of_what_has_no_derivative_here_nothing_is_said(text: str) -> None:
    assert not is_constant(read(text))


def test_a_long_expression_and_one_in_many_variables_have_no_gradient() -> None:
    assert gradient(read("xy")) is not None
    assert gradient(read("".join(f"\\sin(x+{number}y)" for number in range(30)))) is None
    assert gradient(read("u+v+x+y")) is None


@pytest.mark.parametrize(
    ("reference", "right", "wrong"),
    [
        ("\\ln|x|+C", ["\\ln|3x|+C", "\\ln|x|+5+K"], ["3\\ln|x|+C", "\\ln|x|", "\\ln|x+1|+C"]),
        ("\\frac12\\tan^2x+C", ["\\frac12\\sec^2x+C", "\\frac{1}{2\\cos^2x}+C"], ["\\frac12\\cot^2x+C", "\\tan^2x+C"]),
        ("-\\frac14\\cos2x+C", ["\\frac12\\sin^2x+C", "-\\frac12\\cos^2x-C"], ["\\frac12\\cos^2x+C", "\\sin^2x+C"]),
        ("\\frac{x}{x+1}+C", ["-\\frac{1}{x+1}+C"], ["\\frac{1}{x+1}+C"]),
        ("\\arcsin x+C", ["C-\\arccos x"], ["C+\\arccos x"]),
        ("\\sqrt{x^2+1}-\\ln|\\frac{1+\\sqrt{x^2+1}}{x}|+C", ["\\sqrt{x^2+1}+\\ln|\\frac{x}{1+\\sqrt{x^2+1}}|+C"],
         ["\\sqrt{x^2+1}-\\ln|\\frac{x}{1+\\sqrt{x^2+1}}|+C"]),
    ],
)  # fmt: skip
def test_antiderivatives_of_one_function_are_one_family(reference: str, right: list[str], wrong: list[str]) -> None:
    def outcome(answer: str) -> Outcome:
        [verdict] = VERIFIER.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
        return verdict.outcome

    assert {answer: outcome(answer) for answer in right} == dict.fromkeys(right, Outcome.CORRECT)
    assert {answer: outcome(answer) for answer in wrong} == dict.fromkeys(wrong, Outcome.INCORRECT)


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("|x|", "x"),
        ("\\frac{x|x|}{2}", "\\frac{x^2}{2}"),
        ("|x|^3", "x^3"),
        ("\\sqrt{x^2}", "x"),
        ("|x|\\sqrt{1+\\frac{1}{x^2}} + x", "\\sqrt{x^2+1} + |x|"),
    ],
)
def test_antiderivatives_that_agree_on_positive_numbers_alone_are_two(answer: str, reference: str) -> None:
    (added,) = VERIFIER.verify([Sample(response=f"\\boxed{{{answer} + C}}", reference=f"{reference} + C")])
    assert added.outcome != "correct"
    for one, other in ((answer, reference), (reference, answer)):
        assert judged(one, other).outcome == "incorrect", one
        itself = judged(f"{one} + 7", one)
        assert itself.outcome == "correct", one


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("\\arctan\\frac{1}{x}", "-\\arctan x"),
        ("\\arctan\\frac{x-2}{x-1} + C", "\\arctan(2x-3)"),
        ("\\ln x", "\\ln|x|"),
        ("\\frac{|x|}{x}", "C"),
        ("\\frac{|x|}{x} + x", "x"),
    ],
)
def test_the_constant_between_antiderivatives_may_jump_where_one_has_no_value(answer: str, reference: str) -> None:
    assert judged(answer, reference).outcome == "correct"


NUMBERS = (
    "5",
    "\\ln 2",
    "\\frac{\\pi}{4}",
    "\\sqrt{2}",
    "e",
    "\\frac{1}{2}\\ln 3",
    "2 - e^{-1}",
    "0",
    "\\int_0^1 e^{-x^2} dx",
)


@pytest.mark.parametrize("reference", NUMBERS)
def test_numbers_are_no_antiderivatives(reference: str) -> None:
    """Where a data set has both kinds of integrals, one number is not another."""
    others = [number for number in NUMBERS if number != reference]
    for answer in (*others, *(f"{other} + C" for other in others), "C", "7 + C", "x - x", "\\frac{x}{x} + 6", "x"):
        found = judged(answer, reference)
        assert found.score == 0 or (found.outcome == "correct" and (answer, reference) == ("x - x", "0")), answer
    assert judged(reference, reference).outcome == "correct"


OPERATIONS = (
    "\\int {0} dx",
    "\\int_1^x t dt",
    "\\lim_{{n \\to \\infty}} ({0} + \\frac{{1}}{{n}})",
    "\\sum_{{k=1}}^{{3}} k {0}",
    "\\frac{{{0}}}{{0}}",
    "\\infty",
    "\\infty - \\infty",
    "\\frac{{0}}{{0}}",
    "\\sum_{{k=1}}^{{\\infty}} (-1)^k",
    "\\Gamma({0})",
    "20 \\hat{{{0}}} 30",
    "{0} < 3",
    "\\begin{{bmatrix}} {0} \\end{{bmatrix}}",
    "\\{{{0}\\}}",
    "\\lim_{{n\\to\\infty}} (1 + {0}/n)^n",
    "2 orsq {0}",
)


@pytest.mark.parametrize("reference", ["x^3 - 3x + C", "e^{3x}", "\\sin(x^2) \\ln x", "\\arctan x + C"])
@pytest.mark.parametrize("written", OPERATIONS)
def test_a_wrong_antiderivative_is_wrong_however_it_is_written(written: str, reference: str) -> None:
    for inner in ("x", "\\sqrt{x}"):
        found = judged(written.format(inner), reference)
        assert found.score == 0, found.reason


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("\\int \\sin^2 x dx", "\\frac{x}{2} - \\frac{\\sin 2x}{4}"),
        ("\\int_1^x \\frac{1}{t^2} dt + C", "-\\frac{1}{x} + C"),
        ("\\lim_{n \\to \\infty} (1 + x/n)^n", "e^x"),
        ("\\sum_{n=0}^{\\infty} \\frac{x^n}{n!}", "e^x + C"),
    ],
)
def test_an_antiderivative_may_be_an_operation(answer: str, reference: str) -> None:
    assert judged(answer, reference).outcome == "correct"


@pytest.mark.parametrize(
    "reference", ["\\frac{x}{0}", "x + \\frac{1}{0}", "\\ln x + \\frac{0}{0}", "\\frac{\\sin x}{x - x}"]
)
@pytest.mark.parametrize("answer", ["x", "\\sqrt{x}", "\\ln x + C"])
def test_a_reference_without_a_value_judges_no_antiderivative(answer: str, reference: str) -> None:
    assert judged(answer, reference).outcome == "abstained"
