r"""Functions in two pieces that meet at a point: cases in either order, conditions turned, commas or words."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import polynomial

Line = tuple[Fraction, Fraction]
"""Constant and slope."""


@dataclass(frozen=True, slots=True)
class Piecewise:
    """``left`` below ``at``, ``right`` above it; ``at`` itself belongs to the right where ``closed``."""

    left: Line
    right: Line
    at: int
    closed: bool

    def value(self, x: Fraction) -> Fraction:
        line = self.right if x > self.at or (x == self.at and self.closed) else self.left
        return line[0] + line[1] * x


def draw(dice: random.Random) -> Piecewise:
    left, right = ((Fraction(dice.randint(-9, 9)), Fraction(dice.randint(-4, 4))) for _ in range(2))
    return Piecewise(left, right, dice.randint(-3, 5), dice.random() < 0.5)


def _cases(value: Piecewise, dice: random.Random, separator: str, order: tuple[int, int], turn: bool) -> str:
    below, above = ("<", "\\ge") if value.closed else ("\\le", ">")
    under, over = ("\\le", ">") if value.closed else ("<", "\\ge")
    left = f"{value.at} {over} x" if turn else f"x {below} {value.at}"
    right = f"{value.at} {under} x" if turn else f"x {above} {value.at}"
    lines = (f"{polynomial(value.left)}{separator}{left}", f"{polynomial(value.right)}{separator}{right}")
    return "\\begin{cases} " + " \\\\ ".join(lines[n] for n in order) + " \\end{cases}"


def cases(value: Piecewise, dice: random.Random) -> str:
    return _cases(value, dice, " & ", (0, 1), turn=False)


def reordered(value: Piecewise, dice: random.Random) -> str:
    return _cases(value, dice, " & ", (1, 0), turn=False)


def worded(value: Piecewise, dice: random.Random) -> str:
    return _cases(value, dice, dice.choice((" & \\text{if } ", ", & ", " & \\text{for } ")), (0, 1), turn=False)


def turned(value: Piecewise, dice: random.Random) -> str:
    return _cases(value, dice, " & ", dice.choice(((0, 1), (1, 0))), turn=True)


def named(value: Piecewise, dice: random.Random) -> str:
    return f"f(x) = {cases(value, dice)}"


def left_piece(value: Piecewise, dice: random.Random) -> Piecewise:
    return replace(value, left=(value.left[0] + dice.choice((-1, 1)), value.left[1]))


def slope(value: Piecewise, dice: random.Random) -> Piecewise:
    return replace(value, right=(value.right[0], value.right[1] + dice.choice((-1, 1))))


def swapped_pieces(value: Piecewise, dice: random.Random) -> Piecewise:
    return replace(value, left=value.right, right=value.left)


def moved(value: Piecewise, dice: random.Random) -> Piecewise:
    return replace(value, at=value.at + dice.choice((-1, 1)))


def other_end(value: Piecewise, dice: random.Random) -> Piecewise:
    return replace(value, closed=not value.closed)


def same_function(reference: Piecewise, answer: Piecewise) -> bool:
    """At both ends and at points beside and between them, two to a piece: lines that agree in two points are equal."""
    points = {Fraction(at) + step for at in (reference.at, answer.at) for step in (-9, -8, 0, 8, 9)}
    middle = Fraction(reference.at + answer.at, 2)
    points |= {middle, (middle + reference.at) / 2}
    return all(reference.value(x) == answer.value(x) for x in points)


FAMILY = Family(
    "piecewise",
    draw,
    references=(cases, cases, worded),
    answers=(cases, reordered, worded, turned, named),
    changes=(left_piece, slope, swapped_pieces, moved, other_end),
    same=same_function,
)
