"""Exact arithmetic out of text: right against Python's own, bounded, and never a float."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.rational import TooLarge, rational


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", "42"),
        ("-1,234.50", "-1234.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1.5e3", "1500"),
        ("2E-3", "0.002"),
        ("1/3", "1/3"),
        (r"\frac12", "1/2"),
        (r"\frac{1}2", "1/2"),
        (r"-\frac{-3}{4}", "3/4"),
        ("2 1/2", "5/2"),
        (r"2\frac{1}{2}", "5/2"),
        ("3(2)", None),
        ("2 3", None),
        ("(1+2)/(3+4)", "3/7"),
        ("2^{-2}", "1/4"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^3^2", None),
        ("2^{1/2}", None),
        ("0^0", None),
        ("0^{99999999}", "0"),
        ("(-1)^{99999999}", "-1"),
        ("1/0", None),
        (r"\frac{1}{0}", None),
        (r"3 \cdot 10^{-2}", "0.03"),
        (r"6 \div 4", "3/2"),
        ("--3", "3"),
        ("1,23", None),
        ("0,123", None),
        ("1,2345", None),
        ("", None),
        (".", None),
        ("+", None),
        ("x", None),
        ("1e", None),
        ("٤٢", None),
        ("1_000", None),
        ("(1", None),
        ("1)", None),
        (r"\frac", None),
        (r"\frac{1}", None),
    ],
)
def test_reads(text: str, value: str | None) -> None:
    assert rational(text) == (None if value is None else Fraction(value))


@pytest.mark.parametrize(
    "text",
    [
        "9" * 10_001,
        "1e10001",
        "1e-999999999",
        "2^{20000}",
        "(10^{1000})^{1000}",
        "(" * 41 + "1" + ")" * 41,
        "0." + "1" * 10_001,
    ],
)
def test_refuses_what_is_beyond_the_bounds(text: str) -> None:
    with pytest.raises(TooLarge):
        rational(text)


NUMBERS = st.integers(-(10**6), 10**6).map(Fraction) | st.fractions(-1000, 1000, max_denominator=999)
OPERATORS = {"+": Fraction.__add__, "-": Fraction.__sub__, "*": Fraction.__mul__}


@given(st.lists(st.tuples(st.sampled_from(sorted(OPERATORS)), NUMBERS), max_size=6), NUMBERS)
def test_agrees_with_fractions_of_python(terms: list[tuple[str, Fraction]], first: Fraction) -> None:
    text, value = f"({first})", first
    for operator, number in terms:
        text, value = f"({text}{operator}({number}))", OPERATORS[operator](value, number)
    try:
        found = rational(text)
    except TooLarge:
        return
    assert found in (value, None)
    assert found is not None or len(text) > 300


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000))
def test_decimals_are_exact(number: object) -> None:
    try:
        assert rational(str(number)) == Fraction(str(number))
    except TooLarge:
        assert "E-" in str(number)


@given(st.text(alphabet="0123456789+-*/^(){}.,eE \\frac", max_size=60))
def test_any_text_gives_a_number_or_none(text: str) -> None:
    with contextlib.suppress(TooLarge):
        assert isinstance(rational(text), Fraction | None)
