r"""Rewrites and mutations of rational multiples of pi or of one square root, ``\frac{3\pi}{4}``, ``2\sqrt{3}``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from random import Random

from audits.metamorphic.amount import bare
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH

_ROOT = r"(?P<root{0}>\\pi|\\sqrt\{{[0-9]{{1,9}}\}}|\\sqrt[0-9])"
_INLINE = rf"(?P<factor0>[0-9]{{0,12}}){_ROOT.format(0)}(?:/(?P<under0>[0-9]{{1,9}}))?"
_ABOVE = rf"\\[dt]?frac\{{(?P<factor1>[0-9]{{0,12}}){_ROOT.format(1)}\}}\{{(?P<under1>[0-9]{{1,9}})\}}"
_BESIDE = rf"\\[dt]?frac\{{(?P<factor2>[0-9]{{1,12}})\}}\{{(?P<under2>[0-9]{{1,9}})\}}{_ROOT.format(2)}"
_MULTIPLE = re.compile(rf"(?P<sign>-?)(?:{_INLINE}|{_ABOVE}|{_BESIDE})")


@dataclass(frozen=True, slots=True)
class Multiple:
    """``over / under`` times pi (``radicand`` 0) or times the square root of ``radicand``, which is no square."""

    over: int
    under: int
    radicand: int

    @property
    def base(self) -> str:
        return rf"\sqrt{{{self.radicand}}}" if self.radicand else "\\pi"

    def __str__(self) -> str:
        sign, size = "-" if self.over < 0 else "", abs(self.over)
        above = self.base if size == 1 else f"{size}{self.base}"
        return sign + (above if self.under == 1 else rf"\frac{{{above}}}{{{self.under}}}")


def read_multiple(text: str) -> Multiple | None:
    """None for anything else, for 0, and for the root of a square."""
    found = _MULTIPLE.fullmatch(bare(text).replace(" ", ""))
    if found is None:
        return None
    form = next(number for number in "012" if found[f"root{number}"])
    over, under = int(found[f"factor{form}"] or 1), int(found[f"under{form}"] or 1)
    root = found[f"root{form}"]
    radicand = 0 if root == "\\pi" else int(re.sub(r"[^0-9]", "", root))
    if over == 0 or under == 0 or (root != "\\pi" and math.isqrt(radicand) ** 2 == radicand):
        return None
    return Multiple(-over if found["sign"] else over, under, radicand)


def multiple_beside(task: Task, dice: Random) -> str | None:
    r"""The fraction first: \frac{3\pi}{4} as \frac{3}{4}\pi."""
    found = read_multiple(task.text)
    if found is None or found.under == 1:
        return None
    return rf"{'-' if found.over < 0 else ''}\frac{{{abs(found.over)}}}{{{found.under}}}{found.base}"


def multiple_in_line(task: Task, dice: Random) -> str | None:
    r"""In one line: \frac{3\pi}{4} as 3\pi/4."""
    found = read_multiple(task.text)
    return f"{replace(found, under=1)}/{found.under}" if found and found.under != 1 else None


def multiple_times(task: Task, dice: Random) -> str | None:
    r"""With the product's sign: 3\pi as 3 \cdot \pi."""
    found = read_multiple(task.text)
    return rf"{found.over} \cdot {found.base}" if found and found.under == 1 and abs(found.over) > 1 else None


def root_factor_inside(task: Task, dice: Random) -> str | None:
    r"""The factor below the root: 2\sqrt{3} as \sqrt{12}."""
    found = read_multiple(task.text)
    if found is None or not found.radicand or abs(found.over) == 1:
        return None
    return str(replace(found, over=1 if found.over > 0 else -1, radicand=found.radicand * found.over**2))


def root_as_power(task: Task, dice: Random) -> str | None:
    r"""As a power: \sqrt{3} as 3^{1/2}."""
    found = read_multiple(task.text)
    return f"{found.radicand}^{{1/2}}" if found and found.radicand and (found.over, found.under) == (1, 1) else None


def multiple_factor_changed(task: Task, dice: Random) -> str | None:
    r"""Another factor: 2\sqrt{3} as 3\sqrt{3}."""
    found = read_multiple(task.text)
    return str(replace(found, over=found.over + (1 if found.over > 0 else -1))) if found else None


def multiple_negated(task: Task, dice: Random) -> str | None:
    r"""The other sign: 2\pi as -2\pi."""
    found = read_multiple(task.text)
    return str(replace(found, over=-found.over)) if found else None


def multiple_base_dropped(task: Task, dice: Random) -> str | None:
    r"""Without pi or root: \frac{3\pi}{4} as \frac{3}{4}."""
    found = read_multiple(task.text)
    if found is None:
        return None
    return str(found.over) if found.under == 1 else rf"\frac{{{found.over}}}{{{found.under}}}"


def root_radicand_changed(task: Task, dice: Random) -> str | None:
    r"""One more below the root: \sqrt{3} as \sqrt{4}."""
    found = read_multiple(task.text)
    return str(replace(found, radicand=found.radicand + 1)) if found and found.radicand else None


MULTIPLES = (
    *keeping(MATH, multiple_beside, multiple_in_line, multiple_times, root_factor_inside, root_as_power),
    *breaking(MATH, multiple_factor_changed, multiple_negated, multiple_base_dropped, root_radicand_changed),
)
