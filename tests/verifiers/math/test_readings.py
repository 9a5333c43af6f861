"""Numbers in words, repeating decimals, moments, options, units, unit vectors, matrices."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.math.reading.decimals import as_fractions
from verifiers.math.reading.matrix import matrix
from verifiers.math.reading.moment import moment, same
from verifiers.math.reading.option import letter
from verifiers.math.reading.sequence import components
from verifiers.math.reading.unit import factor
from verifiers.math.reading.words import parse_words
from verifiers.rational import rational


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("three halves", "3/2"),
        ("twenty-one", "21"),
        ("two and a half", "5/2"),
        ("5 million", "5000000"),
        ("one hundred and twenty-three", "123"),
        ("minus six", "-6"),
        ("two dozen", "24"),
        ("half", "1/2"),
        ("third", None),
        ("a", None),
        ("and", None),
        ("one two", None),
        ("twenty twenty", None),
        ("half of it", None),
        ("no", None),
    ],
)
def test_words(text: str, value: str | None) -> None:
    assert parse_words(text) == (None if value is None else Fraction(value))


@given(st.integers(0, 10**6), st.integers(0, 4), st.integers(1, 999))
def test_repeating_decimals_are_their_fractions(whole: int, zeros: int, period: int) -> None:
    value = Fraction(whole) + Fraction(period, (10 ** len(str(period)) - 1) * 10**zeros)
    assert rational(as_fractions(f"{whole}.{'0' * zeros}\\overline{{{period}}}")) == value


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("July 4, 1776", "1776-07-04", True),
        ("4 July 1776", "July 4th, 1776", True),
        ("July 4", "July 4, 1776", True),
        ("July 5, 1776", "1776-07-04", False),
        ("5:30 PM", "17:30", True),
        ("5:30", "5:30 AM", True),
        ("12:00 AM", "0:00", True),
        ("12:00 PM", "12:00 AM", False),
    ],
)
def test_moments(one: str, other: str, equal: bool) -> None:
    first, second = moment(one), moment(other)
    assert first is not None
    assert second is not None
    assert same(first, second) is equal
    assert same(second, first) is equal


@pytest.mark.parametrize("text", ["3:4", "1-2", "12", "May", "1776-13-04", "25:00", "x"])
def test_no_moments(text: str) -> None:
    assert moment(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("B", "B"), ("(B)", "B"), ("B.", "B"), ("\\text{(B) } 7", "B"), ("Option C", "C"), ("D. 633", "D"), ("Bx", None)],
)
def test_options(text: str, expected: str | None) -> None:
    assert letter(text) == expected


@pytest.mark.parametrize(
    ("one", "other", "size"),
    [("m", "cm", "100"), ("cm^2", "m^2", "1/10000"), ("h", "min", "60"), ("kg", "m", None), ("cm", "cm^2", None)],
)
def test_units(one: str, other: str, size: str | None) -> None:
    assert factor(one, other) == (None if size is None else Fraction(size))


def test_unit_vectors_and_matrices() -> None:
    assert components("2\\hat{i} - \\hat{k}") == ("2", "0", "-1")
    assert components("3 + 4\\hat{i}") is None
    assert matrix("\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}") == (("1", "2"), ("3", "4"))
    assert matrix("-\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}") == (("(-1)(1)",), ("(-1)(2)",))
    assert matrix("\\begin{pmatrix} 1 & 2 \\\\ 3 \\end{pmatrix}") is None
