"""The same small expression in LaTeX, Unicode and plain text: signs, roots, powers, pi, vulgar fractions, digits."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import SUPERSCRIPTS

_VULGAR = {
    Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼", Fraction(3, 4): "¾",
    Fraction(1, 5): "⅕", Fraction(2, 5): "⅖", Fraction(3, 5): "⅗", Fraction(4, 5): "⅘", Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚", Fraction(1, 8): "⅛", Fraction(3, 8): "⅜", Fraction(5, 8): "⅝", Fraction(7, 8): "⅞",
}  # fmt: skip


def draw_vulgar(dice: random.Random) -> Fraction:
    return dice.choice((0, 0, dice.randint(1, 9))) + dice.choice(list(_VULGAR))


def frac(value: Fraction, dice: random.Random) -> str:
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"


def slash(value: Fraction, dice: random.Random) -> str:
    return str(value)


def vulgar(value: Fraction, dice: random.Random) -> str | None:
    part = _VULGAR.get(value % 1)
    return part and f"{value // 1 or ''}{part}"


def other_vulgar(value: Fraction, dice: random.Random) -> Fraction:
    return value // 1 + dice.choice(list(_VULGAR))


def whole(value: Fraction, dice: random.Random) -> Fraction:
    return value + 1


VULGAR = Family("surface", draw_vulgar, (frac, slash), (vulgar,), (other_vulgar, whole))


def draw_integer(dice: random.Random) -> int:
    return dice.choice((-1, 1)) * dice.randint(2, 10**6)


def digits(value: int, dice: random.Random) -> str:
    return str(value)


def fullwidth(value: int, dice: random.Random) -> str:
    return str(value).translate({ord("0") + n: "０１２３４５６７８９"[n] for n in range(10)}).replace("-", "－")


def dash(value: int, dice: random.Random) -> str | None:
    return dice.choice("−–﹣－") + str(-value) if value < 0 else None


def invisible(value: int, dice: random.Random) -> str:
    forms = ("\u200b{}", "{}\u200b", "\u2060{}", "\ufeff{}", "\u200e{}\u200e", "\u202d{}\u202c")
    return dice.choice(forms).format(value)


def mathematical(value: int, dice: random.Random) -> str:
    return str(value).translate({ord("0") + n: chr(0x1D7CE + n) for n in range(10)})


def off_by_one(value: int, dice: random.Random) -> int:
    return value + dice.choice((-1, 1))


def sign(value: int, dice: random.Random) -> int:
    return -value


DIGITS = Family("surface", draw_integer, (digits,), (fullwidth, dash, invisible, mathematical), (off_by_one, sign))

Term = tuple[int, str, int]
"""A coefficient above 1, one of ``sqrt``, ``pi`` and ``x``, and what is under the root or above the x."""


def draw_term(dice: random.Random) -> Term:
    kind = dice.choice(("sqrt", "pi", "x"))
    inner = {"sqrt": dice.choice((2, 3, 5, 6, 7, 11)), "pi": 1, "x": dice.randint(2, 12)}[kind]
    return dice.randint(2, 30), kind, inner


def in_latex(value: Term, dice: random.Random) -> str:
    a, kind, b = value
    return {"sqrt": f"{a}\\sqrt{{{b}}}", "pi": f"{a}\\pi", "x": f"{a}x^{{{b}}}"}[kind]


def in_unicode(value: Term, dice: random.Random) -> str:
    a, kind, b = value
    return {"sqrt": f"{a}√{b}", "pi": f"{a}π", "x": f"{a}x{str(b).translate(SUPERSCRIPTS)}"}[kind]


def in_plain(value: Term, dice: random.Random) -> str:
    a, kind, b = value
    return {"sqrt": f"{a}{dice.choice(('*', ''))}sqrt({b})", "pi": f"{a}*pi", "x": f"{a}x^{b}"}[kind]


def in_program(value: Term, dice: random.Random) -> str:
    a, kind, b = value
    return {"sqrt": f"{a} * sqrt({b})", "pi": f"{a}{dice.choice((' pi', '*pi'))}", "x": f"{a}*x**{b}"}[kind]


def spaced(value: Term, dice: random.Random) -> str:
    a, kind, b = value
    return {"sqrt": f"{a} \\cdot \\sqrt{{{b}}}", "pi": f"{a} \\, \\pi", "x": f"{{{a}}} {{x}}^{{{b}}}"}[kind]


def coefficient(value: Term, dice: random.Random) -> Term:
    return value[0] + dice.choice((-1, 1, 10)), value[1], value[2]


def inside(value: Term, dice: random.Random) -> Term:
    return (value[0], value[1], value[2] + 1) if value[1] != "pi" else value


def other_kind(value: Term, dice: random.Random) -> Term:
    return (value[0], "sqrt", 10) if value[1] == "pi" else (value[0], "pi", 1)


TERMS = Family(
    "surface",
    draw_term,
    references=(in_latex, in_latex, in_plain),
    answers=(in_latex, in_unicode, in_plain, in_program, spaced),
    changes=(coefficient, inside, other_kind),
)
