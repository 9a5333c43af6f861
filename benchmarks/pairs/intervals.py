r"""Intervals as brackets, inequalities and set-builders; ends are fractions or infinite, open or closed.

A bounded open interval is written ``x \in (a, b)`` where it is the reference, because ``(a, b)`` alone is a point, too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import any_spelling, fraction, latex, number


@dataclass(frozen=True, slots=True)
class Interval:
    """None: infinite, and then open."""

    low: Fraction | None
    high: Fraction | None
    holds_low: bool
    holds_high: bool

    @property
    def pointlike(self) -> bool:
        """True where its brackets could be read as an ordered pair."""
        return not (self.holds_low or self.holds_high) and self.low is not None and self.high is not None


def draw(dice: random.Random) -> Interval:
    low: Fraction | None = fraction(dice)
    high: Fraction | None = low + abs(fraction(dice, zero=False)) if low is not None else None
    ends = dice.choice(("both", "both", "low", "high"))
    low, high = (low if ends != "high" else None), (high if ends != "low" else None)
    return Interval(low, high, low is not None and dice.random() < 0.5, high is not None and dice.random() < 0.5)


def _bracketed(value: Interval, low: str, high: str, template: str = "{}{}, {}{}") -> str:
    return template.format("[" if value.holds_low else "(", low, high, "]" if value.holds_high else ")")


def brackets(value: Interval, dice: random.Random) -> str:
    low = latex(value.low) if value.low is not None else "-\\infty"
    high = latex(value.high) if value.high is not None else "\\infty"
    prefix = "x \\in " if value.pointlike else ""
    return prefix + _bracketed(value, low, high)


def left_right(value: Interval, dice: random.Random) -> str:
    low = number(value.low, dice) if value.low is not None else "-\\infty"
    high = number(value.high, dice) if value.high is not None else dice.choice(("\\infty", "+\\infty"))
    prefix = dice.choice(("", "x \\in "))
    return prefix + _bracketed(value, low, high, "\\left{}{}, {}\\right{}")


def spelt(value: Interval, dice: random.Random) -> str:
    low = any_spelling(value.low, dice) if value.low is not None else dice.choice(("-∞", "-\\infty"))
    high = any_spelling(value.high, dice) if value.high is not None else dice.choice(("∞", "\\infty"))
    return _bracketed(value, low, high, dice.choice(("{}{},{}{}", "{}{}, {}{}")))


def inequality(value: Interval, dice: random.Random, x: str = "x") -> str:
    under = dice.choice(("\\le", "\\leq", "\\leqslant"))
    if value.high is None:
        assert value.low is not None
        greater = dice.choice(("\\ge", "\\geq", "≥")) if value.holds_low else ">"
        return f"{x} {greater} {number(value.low, dice)}"
    above = f"{x} {under if value.holds_high else '<'} {number(value.high, dice)}"
    if value.low is None:
        return above
    return f"{number(value.low, dice)} {under if value.holds_low else '<'} {above}"


def outward(value: Interval, dice: random.Random) -> str | None:
    """An open end as a bracket that looks away, as written in France and Germany."""
    if value.holds_low and value.holds_high:
        return None
    low = latex(value.low) if value.low is not None else "-\\infty"
    high = latex(value.high) if value.high is not None else "\\infty"
    return f"{'[' if value.holds_low else ']'}{low}, {high}{']' if value.holds_high else '['}"


def set_builder(value: Interval, dice: random.Random) -> str:
    such_that = dice.choice(("\\mid", "|", ":"))
    return f"\\{{x {such_that} {inequality(value, dice)}\\}}"


def flipped_end(value: Interval, dice: random.Random) -> Interval:
    if value.low is not None and (value.high is None or dice.random() < 0.5):
        return replace(value, holds_low=not value.holds_low)
    return replace(value, holds_high=not value.holds_high)


def moved_end(value: Interval, dice: random.Random) -> Interval:
    step = Fraction(dice.randint(1, 4), dice.choice((1, 2)))
    if value.low is not None and (value.high is None or dice.random() < 0.5):
        return replace(value, low=value.low - step)
    assert value.high is not None
    return replace(value, high=value.high + step)


def mirrored(value: Interval, dice: random.Random) -> Interval:
    low, high = (None if end is None else -end for end in (value.high, value.low))
    return Interval(low, high, value.holds_high, value.holds_low)


def unbounded(value: Interval, dice: random.Random) -> Interval:
    return replace(value, high=None, holds_high=False) if value.low is not None else value


FAMILY = Family(
    "intervals",
    draw,
    references=(brackets, brackets, inequality),
    answers=(brackets, left_right, spelt, inequality, set_builder, outward),
    changes=(flipped_end, moved_end, mirrored, unbounded),
)

Union = tuple[Interval, ...]
"""Disjoint and not touching, from left to right."""


def draw_union(dice: random.Random) -> Union:
    ends = sorted({fraction(dice) for _ in range(9)})[:4]
    if len(ends) < 4:
        return draw_union(dice)
    shape = dice.choice(("rays", "rays", "both", "ray"))
    parts = {
        "rays": ((None, ends[0]), (ends[1], None)),
        "both": ((ends[0], ends[1]), (ends[2], ends[3])),
        "ray": ((ends[0], ends[1]), (ends[2], None)),
    }[shape]
    return tuple(
        Interval(a, b, a is not None and dice.random() < 0.5, b is not None and dice.random() < 0.5) for a, b in parts
    )


def _part(value: Interval, dice: random.Random) -> str:
    return spelt(value, dice) if dice.random() < 0.3 else left_right(value, dice).removeprefix("x \\in ")


def cup(value: Union, dice: random.Random) -> str:
    return " \\cup ".join(brackets(part, dice).removeprefix("x \\in ") for part in value)


def cup_shuffled(value: Union, dice: random.Random) -> str:
    sign = dice.choice((" \\cup ", "\\cup", " ∪ "))
    return sign.join(_part(part, dice) for part in dice.sample(value, len(value)))


def either(value: Union, dice: random.Random) -> str:
    sign = dice.choice((" or ", " \\text{ or } ", "\\text{ or }"))
    return sign.join(inequality(part, dice) for part in value)


def complement(value: Union, dice: random.Random) -> str | None:
    first, last = value[0], value[-1]
    if len(value) < 2 or first.low is not None or last.high is not None or first.high is None or last.low is None:
        return None
    hole = Interval(first.high, last.low, not first.holds_high, not last.holds_low)
    return "\\mathbb{R} \\setminus " + brackets(hole, dice).removeprefix("x \\in ")


def flipped_part(value: Union, dice: random.Random) -> Union:
    return (flipped_end(value[0], dice), *value[1:])


def moved_part(value: Union, dice: random.Random) -> Union:
    """Outwards, so that the parts stay apart; a ray's only end moves into it."""
    first = value[0]
    if first.low is not None:
        return (replace(first, low=first.low - 1), *value[1:])
    assert first.high is not None
    return (replace(first, high=first.high - 1), *value[1:])


def lost_part(value: Union, dice: random.Random) -> Union:
    return (dice.choice(value),)


UNIONS = Family(
    "unions",
    draw_union,
    references=(cup, cup, either),
    answers=(cup, cup_shuffled, either, complement),
    changes=(flipped_part, moved_part, lost_part),
)
