r"""What is rewritten before it is read: separators, combinations, determinants, quantities of several units, signs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.math.reading.choose import rewrite_binomials
from verifiers.math.reading.compound import compound
from verifiers.math.reading.decimals import remove_separators, with_point
from verifiers.math.reading.determinant import expand_determinants
from verifiers.math.reading.form import form
from verifiers.math.reading.spelling import is_settled, lay_out
from verifiers.math.reading.surface import plain


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234.567", "1234567"),
        ("1.234,5", "1234.5"),
        ("-1.234.567,89", "-1234567.89"),
        ("12,34,567", "1234567"),
        ("1_000_000", "1000000"),
        ("1.234", "1.234"),
        ("1,234", "1,234"),
        ("3,5", "3,5"),
        ("1.23.456", "1.23.456"),
        ("1_00", "1_00"),
    ],
)
def test_separators_are_rewritten_where_they_mean_one_thing(text: str, number: str) -> None:
    assert remove_separators(text) == number


@pytest.mark.parametrize(
    ("text", "pointed"),
    [
        ("3,5", "3.5"),
        ("1.234,5", "1234.5"),
        ("1,5; 2,5", "1.5; 2.5"),
        ("3, 5", "3, 5"),
        ("1,2,3", "1,2,3"),
        ("x = 0,25 cm", "x = 0.25 cm"),
        ("3.5", "3.5"),
    ],
)
def test_a_comma_is_a_decimal_point_where_the_caller_says_so(text: str, pointed: str) -> None:
    assert with_point(text) == pointed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("_5C_2", "\\binom{5}{2}"),
        ("{}^5C_2", "\\binom{5}{2}"),
        ("C(5,2)", "\\binom{5}{2}"),
        ("C_5^2 + 1", "\\binom{5}{2} + 1"),
        ("_5P_2", "(\\frac{5!}{3!})"),
        ("C_2", "C_2"),
        ("P(1,2)", "P(1,2)"),
    ],
)
def test_combinations_as_schools_write_them(text: str, found: str) -> None:
    assert rewrite_binomials(text) == found


def test_a_point_with_a_name_is_no_permutation() -> None:
    assert form("P(5,2)").core == "(5,2)"


_PARTS = [*"-+*/()=_^{}{}xXyotd", "1", "23", "10", "^2", "\\frac{", "\\sqrt{", "\\pi", "**", "{}", "frac"]


@settings(max_examples=2000)
@given(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=9).map("".join).filter(is_settled))
def test_what_is_told_to_be_settled_is_left_as_it_is(text: str) -> None:
    assert lay_out(text) == text


@pytest.mark.parametrize("text", ["\\frac{1}{2}", "x^2-5x+6", "2\\sqrt{3}+\\pi"])
def test_common_answers_are_settled(text: str) -> None:
    assert is_settled(text)


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_a_determinant_has_its_value(rows: list[list[int]]) -> None:
    (a, b, c), (d, e, f), (g, h, i) = rows
    inside = "\\\\".join("&".join(map(str, row)) for row in rows)
    expected = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    assert form(f"\\begin{{vmatrix}}{inside}\\end{{vmatrix}}").value == expected
    assert form(f"\\det\\begin{{pmatrix}}{inside}\\end{{pmatrix}}").value == expected


@pytest.mark.parametrize("inside", ["1&2", "1&2\\\\3", "&\\\\&", "\\\\".join(["1&2&3&4&5"] * 5)])
def test_what_is_no_square_or_too_large_stays(inside: str) -> None:
    text = f"\\begin{{vmatrix}}{inside}\\end{{vmatrix}}"
    assert expand_determinants(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3 hours 30 minutes", (Fraction(7, 2), "hours")),
        ("1 h, 15 min and 30 s", (Fraction(1) + Fraction(15, 60) + Fraction(30, 3600), "h")),
        ("5 ft 3 in", (Fraction(21, 4), "ft")),
        ("30 minutes 3 hours", None),
        ("3 hours 90 minutes", None),
        ("3 hours", None),
        ("3 hours 30 grams", None),
        ("3 apples 2 pears", None),
    ],
)
def test_quantities_of_several_units(text: str, found: tuple[Fraction, str] | None) -> None:
    assert compound(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("∛8", "\\sqrt[3]{8}"),
        ("α + 1", "\\alpha + 1"),
        ("αλφα", "αλφα"),
        ("The answer is 42", "42"),
        ("\\approx 3.14", "3.14"),
        ("= 5", "5"),
        ("3 \\text{ to } 4", "3:4"),
        ("42\\phantom{43}", "42"),
        ("\\color{red}{42}", "42"),
        ("\\operatorname{sin} x", "\\sin x"),
        ("5\\text{ min}", "5 \\text{min}"),
        ("(1, infinity)", "(1, \\infty )"),
    ],
)
def test_one_spelling(text: str, found: str) -> None:
    assert plain(text) == found
