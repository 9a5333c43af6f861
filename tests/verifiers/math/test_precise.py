"""Many digits decide what no proof does: equal formulas agree, formulas that differ anywhere are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample
from trueward.wire.verdict import Outcome
from verifiers.math import MathVerifier
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import Node
from verifiers.math.precise import agree

VERIFIER = MathVerifier()


def read(text: str) -> Node:
    found = expression(text)
    assert found is not None, text
    return found


EQUAL = [
    ("\\tan(x/2)", "\\frac{1-\\cos x}{\\sin x}"),
    ("\\cosh^{-1}(x)", "\\ln(x+\\sqrt{x^2-1})"),
    ("\\tanh^{-1}(x)", "\\frac12\\ln\\frac{1+x}{1-x}"),
    ("x^x", "e^{x\\ln x}"),
    ("x^{\\ln 2}", "2^{\\ln x}"),
    ("\\cos(2\\arccos x)", "2x^2-1"),
    ("\\sqrt{x+2\\sqrt{x-1}}", "1+\\sqrt{x-1}"),
    ("\\sqrt{x^2+2x+1}", "|x+1|"),
    ("arcsinh(x)", "\\ln(x+\\sqrt{x^2+1})"),
    ("acosh(x)", "\\cosh^{-1}(x)"),
    ("arctanh(x)", "artanh(x)"),
    ("\\max(x,y)", "\\frac{x+y+|x-y|}{2}"),
    ("\\frac{|x|}{x}", "sgn(x)"),
    ("\\cos(n\\pi)", "(-1)^n"),
    ("\\sin\\frac{\\pi}{10}", "\\frac{\\sqrt5-1}{4}"),
    ("arccot(x)", "\\frac\\pi2-\\arctan x"),
]
OTHER = [
    ("|x-100|", "100-x"),
    ("|x-100000|", "100000-x"),
    ("\\sqrt{(x+2000)^2}", "x+2000"),
    ("\\max(x,5)", "5"),
    ("\\arctan x+\\arctan\\frac1x", "\\frac\\pi2"),
    ("\\sqrt{x+2\\sqrt{x-1}}", "1-\\sqrt{x-1}"),
    ("e^{\\pi\\sqrt{163}}", "640320^3+744"),
    ("x+10^{-35}", "x"),
    ("\\tan(x/2)", "\\frac{1+\\cos x}{\\sin x}"),
    ("\\cos(n\\pi)", "(-1)^{n+1}"),
    ("\\lfloor x\\rfloor", "x"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_formulas_agree(one: str, other: str) -> None:
    assert agree(read(one), read(other)) is True
    assert agree(read(other), read(one)) is True


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_formulas_that_differ_somewhere_are_told_apart(one: str, other: str) -> None:
    assert agree(read(one), read(other)) is False
    assert agree(read(other), read(one)) is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("i x", "i x"),  # real values alone
        ("e^{e^{e^{e^{e^{e^x}}}}}", "e^{e^{e^{e^{e^{e^x}}}}}+1"),  # beyond the bounds nearly everywhere
        ("\\sin(10^{300})", "\\cos(10^{300})"),
        ("\\sqrt{-1-x^2}", "\\sqrt{-2-x^2}"),
        ("(10^9)!", "1"),
    ],
)
def test_where_too_few_points_have_values_nothing_is_said(one: str, other: str) -> None:
    assert agree(read(one), read(other)) is None


_LEAVES = st.sampled_from(["x", "y", "2", "\\frac{3}{7}", "\\pi", "\\sqrt{x}", "|y|", "2^x"])
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds("({}+{})".format, inner, inner),
        st.builds("({})\\cdot({})".format, inner, inner),
        st.builds("{}({})".format, st.sampled_from(["\\sin", "\\cos", "\\arctan", "\\tanh"]), inner),
    ),
    max_leaves=5,
)


@given(tree=_TREES, digits=st.integers(3, 30))
def test_a_formula_is_itself_and_not_itself_with_a_little_more(tree: str, digits: int) -> None:
    assert agree(read(tree), read(f"\\frac{{({tree})^2+2({tree})}}{{({tree})+2}}")) in (True, None)  # None: x/x of 0
    assert agree(read(tree), read(f"({tree})+10^{{-{digits}}}")) is False


@pytest.mark.parametrize(
    ("reference", "right", "wrong"),
    [
        ("n!", "\\prod_{k=1}^n k", "\\prod_{k=1}^{n-1} k"),
        ("\\sum_{k=0}^n x^k", "\\frac{x^{n+1}-1}{x-1}", "\\frac{x^{n}-1}{x-1}"),
        ("\\frac{n(n+1)(2n+1)}{6}", "\\sum_{k=1}^n k^2", "\\sum_{k=1}^n k^3"),
        ("n^2", "\\sum_{i=1}^{n} (2i-1)", "\\sum_{i=1}^{n} (2i+1)"),
        ("2^n", "\\sum_{k=0}^{n}\\binom{n}{k}", "\\sum_{k=1}^{n}\\binom{n}{k}"),
        ("\\tan(x/2)", "\\frac{\\sin x}{1+\\cos x}", "\\frac{\\sin x}{1-\\cos x}"),
        ("x^x(\\ln x+1)", "e^{x\\ln x}(1+\\ln x)", "e^{x\\ln x}(1-\\ln x)"),
        ("-\\ln|\\csc x+\\cot x|+C", "\\ln|5\\tan(x/2)|+K", "2\\ln|\\tan(x/2)|+C"),
        ("\\frac{x+1+|x-1|}{2}+C", "\\max(x,1)+3+C", "\\max(x,1)+x+C"),
    ],
)
def test_what_was_left_undecided_has_a_verdict(reference: str, right: str, wrong: str) -> None:
    for answer, outcome in ((right, Outcome.CORRECT), (wrong, Outcome.INCORRECT)):
        [verdict] = VERIFIER.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
        assert verdict.outcome is outcome, answer
