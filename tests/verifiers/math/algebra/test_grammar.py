"""The parser of expressions: what it reads, how, and that it never raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.probe import number
from verifiers.math.reading.surface import plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2+3\\cdot 4", 14),
        ("-2^2", -4),
        ("2^{-2}", 0.25),
        ("2^3^2", 512),
        ("\\frac12", 0.5),
        ("2\\frac12", 2.5),
        ("2\\frac31", 6),
        ("2 1/2", 2.5),
        ("2(3)", 6),
        ("6/2(3)", 9),
        ("|2-5|", 3),
        ("||2|-5|", 3),
        ("2|3-5|", 4),
        ("\\lfloor 2.7 \\rfloor", 2),
        ("\\sqrt[3]{27}", 3),
        ("\\sqrt 16", 4),
        ("5!", 120),
        ("\\binom{5}{2}", 10),
        ("\\log_2 8", 3),
        ("\\log_28", 3),
        ("\\ln e^2", 2),
        ("\\gcd(12, 18)", 6),
        ("\\max(1, 5, 3)", 5),
        ("3:4", 0.75),
        ("50%", 0.5),
        ("1,234.5", 1234.5),
        ("4.5e3", 4500),
        ("\\sin 30°", 0.5),
        ("\\cos 2\\pi", 1),
        ("\\sin^2 30°", 0.25),
        ("\\tan^{-1} 0", 0),
    ],
)
def test_reads(text: str, value: float) -> None:
    node = expression(plain(text))
    assert node is not None
    found = number(node)
    assert found is not None
    assert found[0] == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "2 3",
        "5 +",
        "(2",
        "2)",
        "\\frac{1}",
        "\\int x",
        "\\sum x",
        "x = 2",
        "1, 2",
        "hello",
        "\\text{cm}",
        "x^",
    ],
)
def test_does_not_read(text: str) -> None:
    assert expression(text) is None


@given(st.text(alphabet="0123456789+-*/^(){}[]|.,=<>!%$ \\abexyfrcsqtpi_&~'\"°", max_size=80) | st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    expression(text)
    expression(plain(text))


@pytest.mark.parametrize(
    "text", ["(" * 500 + "x" + ")" * 500, "-" * 1400 + "x", "x" * 1400, "^" * 1000, "2^" * 400 + "2"]
)
def test_depth_is_bounded(text: str) -> None:
    expression(text)
