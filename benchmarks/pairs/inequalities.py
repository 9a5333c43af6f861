r"""Inequalities of one variable: turned round, scaled, as interval; wrong in direction, strictness or bound."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import any_spelling, fraction, latex, nudged, number, summed

_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_LATEX = {">": (">", "\\gt"), "<": ("<", "\\lt"), ">=": ("\\ge", "\\geq", "\\geqslant"), "<=": ("\\le", "\\leq")}
_PLAIN = {">": (">",), "<": ("<",), ">=": (">=", "≥"), "<=": ("<=", "≤")}


@dataclass(frozen=True, slots=True)
class Inequality:
    relation: str
    bound: Fraction


def draw(dice: random.Random) -> Inequality:
    return Inequality(dice.choice(tuple(_TURNED)), fraction(dice, 30))


def _sign(relation: str, dice: random.Random) -> str:
    return dice.choice(_LATEX[relation])


def straight(value: Inequality, dice: random.Random) -> str:
    return f"x {_LATEX[value.relation][0]} {latex(value.bound)}"


def spelt(value: Inequality, dice: random.Random) -> str:
    return f"x {_sign(value.relation, dice)} {any_spelling(value.bound, dice)}"


def plain(value: Inequality, dice: random.Random) -> str:
    return f"x{dice.choice((' {} ', '{}')).format(dice.choice(_PLAIN[value.relation]))}{value.bound}"


def turned(value: Inequality, dice: random.Random) -> str:
    return f"{number(value.bound, dice)} {_sign(_TURNED[value.relation], dice)} x"


def scaled(value: Inequality, dice: random.Random) -> str:
    k = dice.randint(2, 5)
    return f"{k}x {_sign(value.relation, dice)} {number(value.bound * k, dice)}"


def moved(value: Inequality, dice: random.Random) -> str:
    """Everything on one side."""
    rest = summed(["x", latex(-value.bound)]) if value.bound else "x"
    return f"{rest} {_sign(value.relation, dice)} 0"


def negative_scaled(value: Inequality, dice: random.Random) -> str:
    return f"-2x {_sign(_TURNED[value.relation], dice)} {number(-2 * value.bound, dice)}"


def interval(value: Inequality, dice: random.Random) -> str:
    bound, holds = number(value.bound, dice), "=" in value.relation
    if value.relation.startswith(">"):
        return dice.choice(("", "x \\in ")) + f"{'[' if holds else '('}{bound}, \\infty)"
    return dice.choice(("", "x \\in ")) + f"(-\\infty, {bound}{']' if holds else ')'}"


def direction(value: Inequality, dice: random.Random) -> Inequality:
    return replace(value, relation=_TURNED[value.relation])


def strictness(value: Inequality, dice: random.Random) -> Inequality:
    relation = value.relation
    return replace(value, relation=relation[0] if "=" in relation else f"{relation}=")


def bound(value: Inequality, dice: random.Random) -> Inequality:
    return replace(value, bound=nudged(value.bound, dice))


def bound_sign(value: Inequality, dice: random.Random) -> Inequality:
    return replace(value, bound=-value.bound)


FAMILY = Family(
    "inequalities",
    draw,
    references=(straight, straight, interval),
    answers=(straight, spelt, plain, turned, scaled, moved, negative_scaled, interval),
    changes=(direction, strictness, bound, bound_sign),
)
