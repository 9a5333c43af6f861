r"""Values of sine, cosine and tangent at multiples of pi/12 and pi/6, inverse functions, multiples of pi."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import latex

Value = tuple[str, int]
"""Function and degrees."""

_FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tan": math.tan}
_EXACT = {
    ("sin", 0): "0", ("sin", 15): "\\frac{\\sqrt{6} - \\sqrt{2}}{4}", ("sin", 30): "\\frac{1}{2}",
    ("sin", 45): "\\frac{\\sqrt{2}}{2}", ("sin", 60): "\\frac{\\sqrt{3}}{2}",
    ("sin", 75): "\\frac{\\sqrt{6} + \\sqrt{2}}{4}", ("sin", 90): "1",
    ("tan", 0): "0", ("tan", 15): "2 - \\sqrt{3}", ("tan", 30): "\\frac{\\sqrt{3}}{3}", ("tan", 45): "1",
    ("tan", 60): "\\sqrt{3}", ("tan", 75): "2 + \\sqrt{3}",
}  # fmt: skip
"""In the first quadrant; the cosine is the complement's sine."""


def draw(dice: random.Random) -> Value:
    function = dice.choice(("sin", "cos", "tan"))
    degrees = 15 * dice.randrange(24)
    return (function, degrees) if function != "tan" or degrees % 180 != 90 else draw(dice)


def _number(value: Value) -> float:
    return _FUNCTIONS[value[0]](math.radians(value[1]))


def exact(value: Value, dice: random.Random) -> str | None:
    function, degrees = value
    if function == "tan" and degrees % 180 == 90:
        return None
    sine, angle = ("sin", 90 - degrees) if function == "cos" else (function, degrees)
    acute = min(angle % 180, -angle % 180)
    text = _EXACT[sine, acute]
    if text == "0" or _number(value) > 0:
        return text
    return f"-{text}" if text[0] != "2" else f"-({text})"


def in_radians(value: Value, dice: random.Random) -> str:
    angle = pi_multiple(Fraction(value[1], 180), dice)
    return dice.choice(("\\{} {}", "\\{}\\left({}\\right)")).format(value[0], angle)


def in_degrees(value: Value, dice: random.Random) -> str:
    return dice.choice(("\\{} {}^\\circ", "\\{}({}^\\circ)", "\\{} {}°")).format(*value)


def co_function(value: Value, dice: random.Random) -> str | None:
    other = {"sin": "cos", "cos": "sin"}.get(value[0])
    return other and in_radians((other, 90 - value[1]), dice)


def turned(value: Value, dice: random.Random) -> str:
    return in_degrees((value[0], value[1] + 360), dice)


def powered(value: Value, dice: random.Random) -> str | None:
    """The root of the value's square, where the value is positive."""
    text = in_radians(value, dice).split(maxsplit=1)
    if _number(value) <= 0 or "(" in text[0]:
        return None
    return f"\\sqrt{{{text[0]}^2 {text[1]}}}"


def angle(value: Value, dice: random.Random) -> Value:
    return value[0], 15 * dice.randrange(24)


def function(value: Value, dice: random.Random) -> Value:
    return dice.choice(("sin", "cos", "tan")), value[1]


def opposite(value: Value, dice: random.Random) -> Value:
    return value[0], -value[1]


def same_value(reference: Value, answer: Value) -> bool:
    """Unlike values of this table are at least 0.03 apart; an undefined tangent is huge, and no pair for us."""
    first, second = _number(reference), _number(answer)
    return abs(first - second) < 1e-6 or max(abs(first), abs(second)) > 1e6


def pi_multiple(value: Fraction, dice: random.Random) -> str:
    if value == 0:
        return "0"
    above = {1: "\\pi", -1: "-\\pi"}.get(value.numerator, f"{value.numerator}\\pi")
    return above if value.denominator == 1 else f"\\frac{{{above}}}{{{value.denominator}}}"


VALUES = Family(
    "trigonometric values",
    draw,
    references=(exact, exact, in_radians),
    answers=(exact, in_radians, in_degrees, co_function, turned, powered),
    changes=(angle, function, opposite),
    same=same_value,
)


def draw_multiple(dice: random.Random) -> Fraction:
    return Fraction(dice.choice((-1, 1, 1, 1)) * dice.randint(1, 60), dice.choice((1, 2, 3, 4, 6, 12, 180)))


def pi_aside(value: Fraction, dice: random.Random) -> str:
    if abs(value) == 1:
        return pi_multiple(value, dice)
    return latex(value) + dice.choice((" ", " \\cdot ")) + "\\pi"


def pi_unreduced(value: Fraction, dice: random.Random) -> str:
    k = dice.randint(2, 5)
    return f"\\frac{{{value.numerator * k}\\pi}}{{{value.denominator * k}}}"


def pi_sign(value: Fraction, dice: random.Random) -> str:
    below = f"/{value.denominator}" if value.denominator > 1 else ""
    return {1: "", -1: "-"}.get(value.numerator, str(value.numerator)) + f"π{below}"


def pi_slash(value: Fraction, dice: random.Random) -> str:
    below = f"/{value.denominator}" if value.denominator > 1 else ""
    return str(value.numerator) + dice.choice(("\\pi", "*pi")) + below


def numerator(value: Fraction, dice: random.Random) -> Fraction:
    return value + Fraction(dice.choice((-1, 1)), value.denominator)


def denominator(value: Fraction, dice: random.Random) -> Fraction:
    return value * dice.choice((2, Fraction(1, 2)))


def sign(value: Fraction, dice: random.Random) -> Fraction:
    return -value


MULTIPLES_OF_PI = Family(
    "multiples of pi",
    draw_multiple,
    references=(pi_multiple,),
    answers=(pi_multiple, pi_aside, pi_unreduced, pi_sign, pi_slash),
    changes=(numerator, denominator, sign),
)
