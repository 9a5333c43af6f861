r"""Assignments ``x = 5`` against the value alone, either way; systems' solutions in any order."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import any_spelling, fraction, latex, nudged, number


@dataclass(frozen=True, slots=True)
class Assignment:
    variable: str
    value: Fraction


def draw(dice: random.Random) -> Assignment:
    return Assignment(dice.choice(("x", "x", "n", "k", "a", "\\theta", "x_1", "m")), fraction(dice, 99))


def assigned(value: Assignment, dice: random.Random) -> str:
    return f"{value.variable} = {latex(value.value)}"


def bare(value: Assignment, dice: random.Random) -> str:
    return number(value.value, dice)


def assigned_spelt(value: Assignment, dice: random.Random) -> str:
    return f"{value.variable}{dice.choice((' = ', '='))}{any_spelling(value.value, dice)}"


def turned(value: Assignment, dice: random.Random) -> str:
    return f"{number(value.value, dice)} = {value.variable}"


def other_value(value: Assignment, dice: random.Random) -> Assignment:
    return replace(value, value=nudged(value.value, dice))


def sign(value: Assignment, dice: random.Random) -> Assignment:
    return replace(value, value=-value.value)


def other_variable(value: Assignment, dice: random.Random) -> Assignment:
    return replace(value, variable="y")


VALUES = Family("assignments", draw, (assigned, bare), (assigned, bare, assigned_spelt, turned), (other_value, sign))
NAMES = Family("assignments", draw, (assigned,), (assigned, assigned_spelt, turned), (other_variable,))

Solution = tuple[tuple[str, Fraction], ...]


def draw_solution(dice: random.Random) -> Solution:
    names = dice.choice(("xy", "xy", "ab", "xyz", "mn"))
    return tuple((name, fraction(dice)) for name in names)


def listed(value: Solution, dice: random.Random) -> str:
    return ", ".join(f"{name} = {latex(x)}" for name, x in value)


def tupled(value: Solution, dice: random.Random) -> str:
    names, values = zip(*value, strict=True)
    return f"({', '.join(names)}) = ({', '.join(latex(x) for x in values)})"


def shuffled(value: Solution, dice: random.Random) -> str:
    parts = [f"{name}{dice.choice((' = ', '='))}{any_spelling(x, dice)}" for name, x in value]
    dice.shuffle(parts)
    return dice.choice((", ", ",\\ ", " \\text{ and } ", "\\text{ and }", ",\\quad ")).join(parts)


def in_cases(value: Solution, dice: random.Random) -> str:
    body = " \\\\ ".join(f"{name} = {number(x, dice)}" for name, x in dice.sample(value, len(value)))
    return f"\\begin{{cases}} {body} \\end{{cases}}"


def point(value: Solution, dice: random.Random) -> str:
    """In the order of the names' alphabet, which is the only one that needs no names."""
    return f"({', '.join(number(x, dice) for _, x in value)})"


def swapped_values(value: Solution, dice: random.Random) -> Solution:
    names, values = zip(*value, strict=True)
    return tuple(zip(names, values[1:] + values[:1], strict=True))


def one_value(value: Solution, dice: random.Random) -> Solution:
    name, x = value[0]
    return ((name, nudged(x, dice)), *value[1:])


def one_sign(value: Solution, dice: random.Random) -> Solution:
    name, x = value[-1]
    return (*value[:-1], (name, -x))


def lost_variable(value: Solution, dice: random.Random) -> Solution:
    return value[:-1]


SYSTEMS = Family(
    "systems",
    draw_solution,
    references=(listed, listed, tupled),
    answers=(listed, shuffled, tupled, in_cases, point),
    changes=(swapped_values, one_value, one_sign, lost_variable),
)
