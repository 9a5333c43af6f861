r"""Natural logarithms of rationals and logarithms to a base: laws applied, change of base, whole values."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import latex, number

Natural = tuple[int, Fraction]
"""factor * ln(argument), both positive, the argument above 1."""


def draw(dice: random.Random) -> Natural:
    argument = Fraction(dice.randint(2, 30), dice.choice((1, 1, 1, 2, 3)))
    return (dice.randint(1, 4), argument) if argument > 1 else draw(dice)


def _ln(argument: Fraction, dice: random.Random) -> str:
    return dice.choice(("\\ln {}", "\\ln({})", "\\ln\\left({}\\right)")).format(number(argument, dice))


def scaled(value: Natural, dice: random.Random) -> str:
    return ("" if value[0] == 1 else str(value[0])) + _ln(value[1], dice)


def gathered(value: Natural, dice: random.Random) -> str:
    return _ln(value[1] ** value[0], dice)


def inverse(value: Natural, dice: random.Random) -> str:
    return "-" + ("" if value[0] == 1 else str(value[0])) + _ln(1 / value[1], dice)


def difference(value: Natural, dice: random.Random) -> str | None:
    whole = value[1] ** value[0]
    if whole.denominator == 1:
        return None
    return f"{_ln(Fraction(whole.numerator), dice)} - {_ln(Fraction(whole.denominator), dice)}"


def power_inside(value: Natural, dice: random.Random) -> str | None:
    if value[0] == 1:
        return None
    base, power = number(value[1], dice), value[0]
    inner = f"\\left({base}\\right)^{power}" if value[1].denominator > 1 else f"{base}^{power}"
    return f"\\ln\\left({inner}\\right)"


def base_e(value: Natural, dice: random.Random) -> str:
    return ("" if value[0] == 1 else str(value[0])) + f"\\log_e({number(value[1], dice)})"


def split(value: Natural, dice: random.Random) -> str | None:
    whole = value[1] ** value[0]
    factors = [d for d in range(2, 40) if whole.numerator % d == 0 and d < whole.numerator]
    if whole.denominator > 1 or not factors:
        return None
    first = dice.choice(factors)
    return f"{_ln(Fraction(first), dice)} + {_ln(whole / first, dice)}"


def factor(value: Natural, dice: random.Random) -> Natural:
    return value[0] + 1, value[1]


def argument(value: Natural, dice: random.Random) -> Natural:
    return value[0], value[1] + dice.choice((1, 2))


def doubled(value: Natural, dice: random.Random) -> Natural:
    """factor ln(argument) taken for ln(factor * argument)."""
    return 1, value[0] * value[1]


def same_logarithm(reference: Natural, answer: Natural) -> bool:
    return reference[1] ** reference[0] == answer[1] ** answer[0]


NATURAL = Family(
    "logarithms",
    draw,
    references=(scaled, gathered),
    answers=(scaled, gathered, inverse, difference, power_inside, base_e, split),
    changes=(factor, argument, doubled),
    same=same_logarithm,
)

Based = tuple[int, int]
"""Base and argument."""


def draw_based(dice: random.Random) -> Based:
    base = dice.choice((2, 2, 3, 5, 6, 7, 10))
    return base, dice.choice((base ** dice.randint(2, 5), dice.randint(2, 40)))


def log(value: Based, dice: random.Random) -> str:
    return f"\\log_{{{value[0]}}} {value[1]}"


def log_variant(value: Based, dice: random.Random) -> str:
    low = str(value[0]) if value[0] < 10 else f"{{{value[0]}}}"
    return dice.choice((f"\\log_{low}({value[1]})", f"\\log_{low}{{{value[1]}}}"))


def quotient(value: Based, dice: random.Random) -> str:
    return f"\\frac{{\\ln {value[1]}}}{{\\ln {value[0]}}}"


def powered(value: Based, dice: random.Random) -> str:
    k = dice.choice((2, 3))
    base, argument = value
    if dice.random() < 0.5:
        return f"\\log_{{{base**k}}} {argument**k}"
    return f"\\frac{{1}}{{{k}}}\\log_{{{base}}} {argument**k}"


def whole(value: Based, dice: random.Random) -> str | None:
    power = round(math.log(value[1], value[0]))
    return latex(power) if value[0] ** power == value[1] else None


def other_base(value: Based, dice: random.Random) -> Based:
    return value[0] + 1, value[1]


def other_argument(value: Based, dice: random.Random) -> Based:
    return value[0], value[1] + dice.choice((1, 2))


def turned(value: Based, dice: random.Random) -> Based:
    return value[1], value[0]


def same_ratio(reference: Based, answer: Based) -> bool:
    """Beyond the precision of floats nobody is told apart: these arguments stay far from it."""
    first, second = (math.log(argument) / math.log(base) for base, argument in (reference, answer))
    return abs(first - second) < 1e-6


BASED = Family(
    "logarithms",
    draw_based,
    references=(log, quotient),
    answers=(log, log_variant, quotient, powered, whole),
    changes=(other_base, other_argument, turned),
    same=same_ratio,
)
