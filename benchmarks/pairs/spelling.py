r"""Numbers, terms and polynomials in LaTeX, plain and Unicode spellings; each spells its value exactly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SQUAREFREE = tuple(n for n in range(2, 60) if all(n % (d * d) for d in range(2, 8)))


def number(value: Fraction | int, dice: random.Random) -> str:
    r"""An integer in digits, else a fraction in one of LaTeX's sizes."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign, size = "-" if value < 0 else "", dice.choice(("\\frac", "\\frac", "\\dfrac"))
    return f"{sign}{size}{{{abs(value.numerator)}}}{{{value.denominator}}}"


def latex(value: Fraction | int) -> str:
    r"""The plainest LaTeX: digits or ``\frac``."""
    value = Fraction(value)
    sign = "-" if value < 0 else ""
    whole = str(abs(value.numerator))
    return sign + whole if value.denominator == 1 else f"{sign}\\frac{{{whole}}}{{{value.denominator}}}"


def plain(value: Fraction | int) -> str:
    return str(Fraction(value))


def decimal(value: Fraction | int, most: int = 12) -> str | None:
    """All digits of a terminating decimal of at most ``most`` places, else None."""
    value = Fraction(value)
    for places in range(most + 1):
        scaled = value * 10**places
        if scaled.denominator == 1:
            return fixed(value, places)
    return None


def fixed(value: Fraction, places: int) -> str:
    """Rounded to ``places``, half to even."""
    scaled = round(value * 10**places)
    digits = f"{abs(scaled):0{places + 1}d}"
    body = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return ("-" if scaled < 0 else "") + body


def any_spelling(value: Fraction, dice: random.Random) -> str:
    """LaTeX, ``p/q`` or a decimal where it ends."""
    return dice.choice((number(value, dice), plain(value), decimal(value, 4) or latex(value)))


def fraction(dice: random.Random, most: int = 20, *, zero: bool = True) -> Fraction:
    """A small fraction of either sign; one in two is whole."""
    while True:
        value = Fraction(dice.randint(-most, most), dice.choice((1, 1, 1, 2, 3, 4, 5, 8)))
        if value or zero:
            return value


def nudged(value: Fraction, dice: random.Random) -> Fraction:
    return value + dice.choice((-1, 1, 2, Fraction(1, 2)))


def summed(terms: Sequence[str]) -> str:
    """Terms with their signs; ``0`` for none."""
    text = terms[0] if terms else "0"
    for one in terms[1:]:
        text += f" - {one[1:]}" if one.startswith("-") else f" + {one}"
    return text


def term(coefficient: Fraction | int, rest: str) -> str:
    """``3x``, ``-x``, ``\\frac{1}{2}x``; a bare number where ``rest`` is empty."""
    if not rest:
        return latex(coefficient)
    if abs(coefficient) == 1:
        return ("-" if coefficient < 0 else "") + rest
    return latex(coefficient) + rest


def polynomial(coefficients: Sequence[Fraction | int], x: str = "x", dice: random.Random | None = None) -> str:
    """``coefficients`` from the constant upwards; with ``dice`` the terms are shuffled."""
    powers = ["", x, *(f"{x}^{{{n}}}" if n > 9 else f"{x}^{n}" for n in range(2, len(coefficients)))]
    terms = [term(c, power) for c, power in zip(coefficients, powers, strict=False) if c][::-1]
    if dice is not None:
        dice.shuffle(terms)
    return summed(terms)


def product(left: Sequence[Fraction], right: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Of two polynomials, coefficients from the constant upwards."""
    total = [Fraction(0)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            total[i + j] += a * b
    return tuple(total)
