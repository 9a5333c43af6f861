r"""Complex numbers: parts in either order, over one denominator, i outside, polar."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import decimal, fraction, latex, number, summed, term


@dataclass(frozen=True, slots=True)
class Complex:
    real: Fraction
    imaginary: Fraction


def draw(dice: random.Random) -> Complex:
    return Complex(fraction(dice, 12), fraction(dice, 12, zero=False))


def _terms(value: Complex) -> list[str]:
    parts = [latex(value.real)] if value.real else []
    return [*parts, term(value.imaginary, "i")] if value.imaginary else parts


def cartesian(value: Complex, dice: random.Random) -> str:
    return summed(_terms(value))


def turned(value: Complex, dice: random.Random) -> str:
    return summed(_terms(value)[::-1])


def i_first(value: Complex, dice: random.Random) -> str | None:
    if abs(value.imaginary) == 1 or not value.imaginary:
        return None
    sign = "-" if value.imaginary < 0 else "+"
    body = dice.choice(("i ", "i \\cdot ")) + latex(abs(value.imaginary))
    return f"{latex(value.real)} {sign} {body}" if value.real else ("-" if sign == "-" else "") + body


def over_one(value: Complex, dice: random.Random) -> str:
    k = value.real.denominator * value.imaginary.denominator * dice.choice((1, 2, 3))
    above = summed(_terms(Complex(value.real * k, value.imaginary * k)))
    return f"\\frac{{{above}}}{{{k}}}" if k > 1 else above


def digits(value: Complex, dice: random.Random) -> str | None:
    real, imaginary = decimal(value.real, 4), decimal(abs(value.imaginary), 4)
    if real is None or imaginary is None or not value.real:
        return None
    return f"{real} {'-' if value.imaginary < 0 else '+'} {imaginary}i"


def inner_i(value: Complex, dice: random.Random) -> str | None:
    """i above a fraction's line."""
    part = value.imaginary
    if part.denominator == 1:
        return None
    body = f"\\frac{{{'' if abs(part.numerator) == 1 else abs(part.numerator)}i}}{{{part.denominator}}}"
    signed = f"-{body}" if part < 0 else body
    return summed([number(value.real, dice), signed]) if value.real else signed


def grown(value: Complex, dice: random.Random) -> str:
    return f"\\left({cartesian(value, dice)}\\right)"


def upright(value: Complex, dice: random.Random) -> str:
    return cartesian(value, dice).replace("i", dice.choice(("\\mathrm{i}", "\\text{i}", "\\imath")))


def conjugate(value: Complex, dice: random.Random) -> Complex:
    return replace(value, imaginary=-value.imaginary)


def swapped(value: Complex, dice: random.Random) -> Complex:
    return Complex(value.imaginary, value.real)


def real(value: Complex, dice: random.Random) -> Complex:
    return replace(value, real=value.real + dice.choice((-1, 1)))


def imaginary(value: Complex, dice: random.Random) -> Complex:
    return replace(value, imaginary=value.imaginary + dice.choice((-1, 1)))


def lost_i(value: Complex, dice: random.Random) -> Complex:
    return Complex(value.real + value.imaginary, Fraction(0))


CARTESIAN = Family(
    "complex numbers",
    draw,
    references=(cartesian, cartesian, over_one),
    answers=(cartesian, turned, i_first, over_one, digits, inner_i, grown, upright),
    changes=(conjugate, swapped, real, imaginary, lost_i),
)

Polar = tuple[int, int]
"""Even modulus and a multiple of pi/6."""

_COSINES = {0: "2", 1: "\\sqrt{3}", 2: "1", 3: "", 4: "-1", 5: "-\\sqrt{3}", 6: "-2"}
"""Twice the cosine of so many sixths of pi."""


def draw_polar(dice: random.Random) -> Polar:
    return 2 * dice.randint(1, 8), dice.randrange(-5, 7)


def _angle(sixths: int) -> str:
    part = Fraction(sixths, 6)
    above = {1: "\\pi", -1: "-\\pi"}.get(part.numerator, f"{part.numerator}\\pi")
    return above if part.denominator == 1 else f"\\frac{{{above}}}{{{part.denominator}}}"


def _half(k: int, sixths: int) -> str:
    """k times twice the cosine."""
    text = _COSINES[min(sixths % 12, -sixths % 12)]
    if not text:
        return ""
    sign, body = ("-", text[1:]) if text.startswith("-") else ("", text)
    if body.isdigit():
        return sign + str(k * int(body))
    return sign + (body if k == 1 else f"{k}{body}")


def parts(value: Polar, dice: random.Random) -> str:
    r, sixths = value
    imaginary = _half(r // 2, sixths - 3)
    body = {"1": "i", "-1": "-i"}.get(imaginary, f"{imaginary}i" if imaginary else "")
    return summed([part for part in (_half(r // 2, sixths), body) if part])


def exponential(value: Polar, dice: random.Random) -> str:
    r, sixths = value
    angle = _angle(sixths)
    return f"{r}e^{{{dice.choice((angle + ' i', 'i ' + angle))}}}" if sixths else f"{r}"


def cosine_sine(value: Polar, dice: random.Random) -> str:
    r, sixths = value
    turn = _angle(sixths) if sixths else "0"
    return f"{r}\\left(\\cos\\left({turn}\\right) + i\\sin\\left({turn}\\right)\\right)"


def modulus(value: Polar, dice: random.Random) -> Polar:
    return value[0] + dice.choice((2, 4)), value[1]


def argument(value: Polar, dice: random.Random) -> Polar:
    return value[0], value[1] + dice.choice((-2, -1, 1, 3))


def reflected(value: Polar, dice: random.Random) -> Polar:
    return value[0], -value[1]


def same_polar(reference: Polar, answer: Polar) -> bool:
    return reference[0] == answer[0] and (reference[1] - answer[1]) % 12 == 0


POLAR = Family(
    "complex numbers",
    draw_polar,
    references=(parts, exponential),
    answers=(parts, exponential, cosine_sine),
    changes=(modulus, argument, reflected),
    same=same_polar,
)
