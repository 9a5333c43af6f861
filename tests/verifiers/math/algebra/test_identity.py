"""Identity of expressions: what rewrites keep the meaning never flips, what changes a digit always does."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.identity import identical, parallel
from verifiers.math.algebra.node import Node, Number, Power, Product, Sum, Symbol, inverse, negative
from verifiers.math.algebra.probe import differ, evaluate, points
from verifiers.math.reading.surface import plain


def read(text: str) -> Node:
    node = expression(plain(text))
    assert node is not None, text
    return node


def equal(one: str, other: str) -> bool | None:
    found = identical(read(one), read(other))
    return None if found is None else found.equal


COEFFICIENTS = st.integers(-30, 30)
NAMES = st.sampled_from("xyz")


@st.composite
def polynomials(draw: st.DrawFn) -> str:
    terms = draw(st.lists(st.tuples(COEFFICIENTS, NAMES, st.integers(0, 4)), min_size=1, max_size=5))
    return "+".join(f"({c}){name}^{{{power}}}" for c, name, power in terms)


@st.composite
def surds(draw: st.DrawFn) -> str:
    terms = draw(st.lists(st.tuples(COEFFICIENTS, st.integers(1, 60), st.integers(2, 3)), min_size=1, max_size=3))
    return "+".join(f"({c})\\sqrt[{index}]{{{radicand}}}" for c, radicand, index in terms)


EXPRESSIONS = polynomials() | surds()


@given(EXPRESSIONS)
def test_an_expression_is_identical_to_itself(text: str) -> None:
    assert equal(text, text) is True


@given(EXPRESSIONS, EXPRESSIONS)
def test_identity_is_symmetric(one: str, other: str) -> None:
    assert equal(one, other) == equal(other, one)


@given(EXPRESSIONS, EXPRESSIONS)
def test_products_and_sums_commute(one: str, other: str) -> None:
    assert equal(f"({one})({other})", f"({other})({one})") is True
    assert equal(f"({one})+({other})", f"({other})+({one})") is True


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
def test_multiplying_out_changes_nothing(one: str, other: str, third: str) -> None:
    assert equal(f"({one})(({other})-({third}))", f"({one})({other})-({one})({third})") is True


@given(EXPRESSIONS, st.integers(1, 10**12))
def test_adding_a_number_always_flips(text: str, step: int) -> None:
    assert equal(text, f"{text}+{step}") is False
    assert equal(text, f"{text}+\\frac{{1}}{{{step}}}") is False


@given(EXPRESSIONS, st.integers(2, 50), st.integers(2, 50))
def test_a_factor_always_flips_unless_the_value_is_zero(text: str, above: int, below: int) -> None:
    assume(above != below and equal(text, "0") is False)
    assert equal(text, f"\\frac{{{above}}}{{{below}}}({text})") is False


@given(st.integers(2, 10**6), st.integers(2, 10**6))
def test_roots_of_different_numbers_differ(one: int, other: int) -> None:
    assert equal(f"\\sqrt{{{one}}}", f"\\sqrt{{{other}}}") is (one == other)


@given(st.integers(1, 200), st.integers(1, 200))
def test_squares_leave_the_root(outer: int, inner: int) -> None:
    assert equal(f"\\sqrt{{{outer * outer * inner}}}", f"{outer}\\sqrt{{{inner}}}") is True


NODES = st.recursive(
    st.integers(-9, 9).map(lambda n: Number(Fraction(n))) | st.sampled_from([Symbol("x"), Symbol("y"), Symbol("\\pi")]),
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Sum(tuple(parts)))
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: Product(tuple(parts)))
        | st.tuples(inner, st.integers(2, 4)).map(lambda pair: Power(pair[0], Number(Fraction(pair[1]))))
        | inner.map(inverse)
        | inner.map(negative)
    ),
    max_leaves=10,
)


@given(NODES, NODES)
def test_what_canonical_forms_prove_no_probe_refutes(one: Node, other: Node) -> None:
    found = identical(Sum((one, other)), Sum((other, one)))
    assert found is None or found.equal
    unlike = identical(one, Sum((one, Number(Fraction(1)))))
    assert unlike is None or not unlike.equal


@given(NODES)
def test_a_value_is_within_its_own_error(node: Node) -> None:
    for point in points(["x", "y"])[:2]:
        try:
            value, error = evaluate(node, point)
            again, other_error = evaluate(Sum((node, Symbol("x"), negative(Symbol("x")))), point)
        except (ArithmeticError, ValueError):
            continue
        assert abs(value - again) <= 8 * (error + other_error)


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("\\sqrt{x^2}", "x", False),
        ("\\sqrt{x^2}", "|x|", True),
        ("\\sqrt{x^2y}", "x\\sqrt{y}", False),
        ("\\sqrt{x}\\sqrt{y}", "\\sqrt{xy}", True),
        ("\\ln x^2", "2\\ln x", True),
        ("\\pi", "3.14159265358979323846264338", False),
        ("\\sin(\\frac{\\pi}{12})", "\\frac{\\sqrt6-\\sqrt2}{4}", True),
        ("e^{x+y}", "e^xe^y", True),
        ("4^x", "2^{2x}", True),
        ("i^3", "-i", True),
        ("\\sqrt{3+2\\sqrt2}", "1+\\sqrt2", True),
        ("\\sqrt{3-2\\sqrt2}", "1-\\sqrt2", False),
        ("\\sqrt[3]{7+5\\sqrt2}", "1+\\sqrt2", None),
        ("x^2\\frac12", "\\frac{x^2}{2}", True),
        ("\\log 100", "2", True),
    ],
)
def test_identities(one: str, other: str, verdict: bool | None) -> None:
    assert equal(one, other) is verdict
    assert equal(other, one) is verdict


def test_a_refutation_has_its_witness() -> None:
    found = identical(read("x^2+1"), read("x^2"))
    assert found is not None
    assert found.witness is not None
    assert set(found.witness.at) == {"x"}
    assert differ(read("x"), read("x"), points(["x"])) is None


def test_functions_that_differ_by_a_constant() -> None:
    found = parallel(read("\\sin^2 x + C"), read("-\\cos^2 x"))
    assert found is not None
    assert found.equal
    apart = parallel(read("x^2"), read("x^3"))
    assert apart is not None
    assert not apart.equal


@pytest.mark.parametrize("text", ["(x+1)^{90000}", "(a+b+c+d)^{40}", "2^{99999}x", "\\sqrt{" + "9" * 300 + "}"])
def test_work_beyond_the_budget_is_given_up(text: str) -> None:
    with pytest.raises(ArithmeticError):
        Canonical().of(read(text))
