"""A letter before a bracket: both readings are kept until both sides are there."""

from __future__ import annotations

import pytest

from trueward.wire.sample import Sample
from verifiers.math import MathVerifier
from verifiers.math.algebra.applied import functions


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("f(0)", "0", {"f"}),
        ("k(x+1)", "kx+k", set()),
        ("a(x-1)(x+2)", "a(x+2)(x-1)", set()),
        ("y(0)", "1", {"y"}),
        ("n(n+1)", "n^2+n", set()),
        ("P(1+r)", "P+Pr", set()),
        ("F(x+1)", "F(1+x)", {"F"}),
        ("f'(x)", "f(x)", {"f", "f'"}),
        ("u(x,t)", "0", {"u"}),
        ("e(1)", "e", set()),
    ],
)
def test_functions_and_factors(one: str, other: str, found: set[str]) -> None:
    assert functions(one, other) == functions(other, one) == found


@pytest.mark.parametrize(
    ("answer", "reference", "score"),
    [
        ("0", "f(0)", 0.0),
        ("f(b)+f(a)", "f(a+b)", 0.0),
        ("f(h+x)", "f(x+h)", 1.0),
        ("2f(x)", "f(x)+f(x)", 1.0),
        ("C(0)", "N(0)", 0.0),
        ("f^{-1}(x)", "f(x)", 0.0),
        ("x^2-3x", "x(x-3)", 1.0),
        ("s Y(s)", "s Y(s)-y(0)", 0.0),
        ("P+Pr", "P(1+r)", 1.0),
    ],
)
def test_values_of_unknown_functions_are_no_products(answer: str, reference: str, score: float) -> None:
    [verdict] = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    assert verdict.score == score
