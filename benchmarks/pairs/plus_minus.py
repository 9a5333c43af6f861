r"""Pairs of solutions ``a \pm b``: the sign, both values as list, set or alternatives; never one alone."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import SQUAREFREE, latex, summed, term


@dataclass(frozen=True, slots=True)
class PlusMinus:
    """centre ± factor * sqrt(radicand), radicand squarefree; ``signs`` tells which of the two are given."""

    centre: Fraction
    factor: int
    radicand: int
    signs: tuple[int, ...] = (1, -1)


def draw(dice: random.Random) -> PlusMinus:
    centre = dice.choice((Fraction(0), Fraction(dice.randint(-9, 9))))
    return PlusMinus(centre, dice.randint(1, 9), dice.choice((1, 1, *SQUAREFREE[:8])))


def _root(value: PlusMinus, sign: int = 1) -> str:
    return term(sign * value.factor, "" if value.radicand == 1 else f"\\sqrt{{{value.radicand}}}")


def _one(value: PlusMinus, sign: int) -> str:
    if value.radicand == 1:
        return latex(value.centre + sign * value.factor)
    return summed(([latex(value.centre)] if value.centre else []) + [_root(value, sign)])


def _both(value: PlusMinus, dice: random.Random) -> list[str]:
    return [_one(value, sign) for sign in dice.sample(value.signs, len(value.signs))]


def sign(value: PlusMinus, dice: random.Random) -> str | None:
    if len(value.signs) < 2:
        return None
    return (latex(value.centre) + " " if value.centre else "") + f"\\pm {_root(value)}"


def assigned_sign(value: PlusMinus, dice: random.Random) -> str | None:
    text = sign(value, dice)
    return text and f"x = {text}"


def unicode_sign(value: PlusMinus, dice: random.Random) -> str | None:
    text = sign(value, dice)
    return text and text.replace("\\pm", "±")


def listed(value: PlusMinus, dice: random.Random) -> str:
    return ", ".join(_both(value, dice))


def alternatives(value: PlusMinus, dice: random.Random) -> str:
    return dice.choice((" \\text{ or } ", ", ", "\\text{ and }")).join(f"x = {one}" for one in _both(value, dice))


def braces(value: PlusMinus, dice: random.Random) -> str:
    return "\\{" + ", ".join(_both(value, dice)) + "\\}"


def lost_one(value: PlusMinus, dice: random.Random) -> PlusMinus:
    return replace(value, signs=(dice.choice((1, -1)),))


def centre(value: PlusMinus, dice: random.Random) -> PlusMinus:
    return replace(value, centre=value.centre + dice.choice((-1, 1)))


def factor(value: PlusMinus, dice: random.Random) -> PlusMinus:
    return replace(value, factor=value.factor + 1)


def radicand(value: PlusMinus, dice: random.Random) -> PlusMinus:
    return replace(value, radicand=dice.choice((1, *SQUAREFREE[:8])))


FAMILY = Family(
    "plus-minus",
    draw,
    references=(sign, sign, assigned_sign, listed),
    answers=(sign, assigned_sign, unicode_sign, listed, alternatives, braces),
    changes=(lost_one, centre, factor, radicand),
)
