r"""Finite sets and lists of solutions: any order, with and without braces; no element missing, extra or altered."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import any_spelling, fraction, latex, nudged, number

Set = frozenset[Fraction]


def draw(dice: random.Random) -> Set:
    size = dice.choice((2, 2, 3, 3, 4, 5))
    chosen: set[Fraction] = set()
    while len(chosen) < size:
        chosen.add(fraction(dice))
    return frozenset(chosen)


def _shuffled(value: Set, dice: random.Random) -> list[Fraction]:
    return dice.sample(sorted(value), len(value))


def braces(value: Set, dice: random.Random) -> str:
    return "\\{" + ", ".join(latex(x) for x in sorted(value)) + "\\}"


def listed(value: Set, dice: random.Random) -> str:
    return ", ".join(latex(x) for x in sorted(value))


def braces_shuffled(value: Set, dice: random.Random) -> str:
    inner = ", ".join(number(x, dice) for x in _shuffled(value, dice))
    return dice.choice(("\\{{{}\\}}", "\\left\\{{{}\\right\\}}", "\\lbrace {} \\rbrace")).format(inner)


def braces_spelt(value: Set, dice: random.Random) -> str:
    return "\\{" + dice.choice((",", ", ")).join(any_spelling(x, dice) for x in _shuffled(value, dice)) + "\\}"


def listed_shuffled(value: Set, dice: random.Random) -> str:
    return ", ".join(number(x, dice) for x in _shuffled(value, dice))


def listed_and(value: Set, dice: random.Random) -> str:
    *most, last = (number(x, dice) for x in _shuffled(value, dice))
    if not most:
        return last
    return ", ".join(most) + dice.choice((" and ", "\\text{ and }", " \\text{ and } ")) + last


def solutions(value: Set, dice: random.Random) -> str:
    return dice.choice((" \\text{ or } ", ", ", " or ")).join(f"x = {number(x, dice)}" for x in _shuffled(value, dice))


def dropped(value: Set, dice: random.Random) -> Set:
    return value - {dice.choice(sorted(value))}


def added(value: Set, dice: random.Random) -> Set:
    return value | {fraction(dice)}


def altered(value: Set, dice: random.Random) -> Set:
    old = dice.choice(sorted(value))
    return (value - {old}) | {nudged(old, dice)}


def negated(value: Set, dice: random.Random) -> Set:
    return frozenset(-x for x in value)


FAMILY = Family(
    "sets",
    draw,
    references=(braces, braces, listed),
    answers=(braces, braces_shuffled, braces_spelt, listed_shuffled, listed_and, solutions),
    changes=(dropped, added, altered, negated),
)
