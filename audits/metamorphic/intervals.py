r"""Rewrites and mutations of intervals of numbers, ``[0, 1)``, ``(-\infty, 3]``.

What has two round brackets and two finite ends could be a point: it is left to tuples.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from audits.metamorphic import elements
from audits.metamorphic.amount import bare
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH

_INTERVAL = re.compile(r"(?:\\left)?(?P<open>[(\[])(?P<inner>[^()\[\]]+?)(?:\\right)?(?P<close>[)\]])")
_INFINITE = re.compile(r"([+-]?)\s*(?:\\infty|∞)")


@dataclass(frozen=True, slots=True)
class Interval:
    """Brackets and ends as they are written. ``low`` and ``high`` are None at infinity."""

    opening: str
    left: str
    right: str
    closing: str
    low: Fraction | None
    high: Fraction | None

    def __str__(self) -> str:
        return f"{self.opening}{self.left}, {self.right}{self.closing}"


def read_interval(text: str) -> Interval | None:
    """None for what is no interval for sure, or an empty one."""
    found = _INTERVAL.fullmatch(bare(text))
    ends = elements.split(found["inner"]) if found else None
    if found is None or ends is None or len(ends) != 2:
        return None
    left, right = ends
    low, high = elements.value(left), elements.value(right)
    below, above = _infinite(left) == "-", _infinite(right) == "+"
    if (low is None and not below) or (high is None and not above):
        return None
    if low is not None and high is not None and (low >= high or (found["open"], found["close"]) == ("(", ")")):
        return None
    if (below and found["open"] == "[") or (above and found["close"] == "]"):
        return None
    return Interval(found["open"], left, right, found["close"], low, high)


def interval_spacing(task: Task, dice: Random) -> str | None:
    """Other blanks: [0, 1) as [ 0 , 1 )."""
    found = read_interval(task.text)
    return f"{found.opening} {found.left} , {found.right} {found.closing}" if found else None


def interval_membership(task: Task, dice: Random) -> str | None:
    r"""Of a variable: [0, 1) as x \in [0, 1)."""
    found = read_interval(task.text)
    return rf"x \in {found}" if found else None


def interval_as_inequality(task: Task, dice: Random) -> str | None:
    r"""As an inequality: [0, 1) as 0 \le x < 1."""
    found = read_interval(task.text)
    if found is None or (found.low is None and found.high is None):
        return None
    below = "" if found.low is None else f"{found.left} {_sign(found.opening)} "
    above = "" if found.high is None else f" {_sign(found.closing)} {found.right}"
    return f"{below}x{above}"


def interval_bracket_changed(task: Task, dice: Random) -> str | None:
    """A finite end that belongs to it no longer does, or the other way: [0, 1) as (0, 1)."""
    found = read_interval(task.text)
    if found is None:
        return None
    changed = []
    if found.low is not None:
        changed.append(replace(found, opening="(" if found.opening == "[" else "["))
    if found.high is not None:
        changed.append(replace(found, closing=")" if found.closing == "]" else "]"))
    return str(dice.choice(changed)) if changed else None


def interval_bounds_swapped(task: Task, dice: Random) -> str | None:
    """Finite bounds change places: [0, 1) as [1, 0)."""
    found = read_interval(task.text)
    if found is None or found.low is None or found.high is None:
        return None
    return str(replace(found, left=found.right, right=found.left))


def interval_bound_changed(task: Task, dice: Random) -> str | None:
    """Another bound: [0, 1) as [0, 3)."""
    found = read_interval(task.text)
    if found is None:
        return None
    if found.high is not None:
        return str(replace(found, right=str(int(abs(found.high)) + dice.randrange(2, 9))))
    return str(replace(found, left=str(-int(abs(found.low)) - dice.randrange(2, 9)))) if found.low is not None else None


def _infinite(end: str) -> str | None:
    found = _INFINITE.fullmatch(end)
    return (found[1] or "+") if found else None


def _sign(bracket: str) -> str:
    return r"\le" if bracket in "[]" else "<"


INTERVALS = (
    *keeping(MATH, interval_spacing, interval_membership, interval_as_inequality),
    *breaking(MATH, interval_bracket_changed, interval_bounds_swapped, interval_bound_changed),
)
