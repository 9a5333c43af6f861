"""calculate_output: OpenAI's operators and functions, and nothing that runs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.grader.formula import Formula, Undefined

REWARDS = {"a": 0.5, "b": 2.0, "c_1": -3.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", 0.5),
        ("(a + b) / 2", 1.25),
        ("0.5 * a + 0.5 * b", 1.25),
        ("-a ^ 2", -0.25),
        ("2 ^ 3 ^ 2", 512),
        ("b ** 3", 8),
        ("1 - 2 - 3", -4),
        ("min(a, b, c_1)", -3),
        ("max(a, 1)", 1),
        ("abs(c_1)", 3),
        ("floor(a) + ceil(a)", 1),
        ("exp(log(b))", 2),
        ("sqrt(b ^ 2)", 2),
        ("(100 - abs(a - b)) / 100", 0.985),
        (" a\t+ +b ", 2.5),
        ("1e2 * a", 50),
    ],
)
def test_arithmetic(text: str, value: float) -> None:
    assert Formula.read(text).value(REWARDS) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["a / 0", "log(0)", "sqrt(c_1)", "c_1 ^ 0.5", "exp(1000)", "10 ^ 400", "b ^ b ^ b ^ b ^ 9"]
)
def test_what_has_no_finite_value_is_undefined(text: str) -> None:
    with pytest.raises(Undefined):
        Formula.read(text).value(REWARDS)


@pytest.mark.parametrize(
    "text",
    [
        "", "a +", "a b", "0.5 * a)", "a; b", "a = b", "a if b else a", "a and b", "not a", "a < b", "a == b", "a % b",
        "a // b", "a | b", "~a", "a @ b", "'a'", "True", "1j", "None", "[a]", "a[0]", "a.real", "lambda: 1", "f(a)",
        "min()", "abs(a, b)", "min(*a)", "max(a, key=b)", "__import__('os')", "exp(a)(b)", "(yield)", "(x := 1)",
        "f'{a}'", "a\0", "1" * 400, "(" * 300 + "a" + ")" * 300, "-" * 900 + "a", "+".join("a" * 600), "\ud800",
    ],
)  # fmt: skip
def test_anything_else_is_no_formula(text: str) -> None:
    with pytest.raises(ValueError):
        Formula.read(text)


def test_a_formula_tells_the_names_it_uses() -> None:
    assert Formula.read("min(a, 2 * name_2)").names == {"a", "name_2"}


@given(st.text(alphabet="ab12.+-*/^(), minaxsqrtlog", max_size=40))
def test_whatever_is_written_is_a_formula_or_a_value_error(text: str) -> None:
    try:
        formula = Formula.read(text)
    except ValueError:
        return
    try:
        found = formula.value(dict.fromkeys(formula.names, 1.5))
    except Undefined:
        return
    assert math.isfinite(found)
