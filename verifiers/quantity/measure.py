"""A quantity read out of text: its number, its unit, and how it was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from verifiers.quantity.number import leading
from verifiers.quantity.plain import plain
from verifiers.quantity.unit import unit
from verifiers.units import Expression, UnknownUnit, expression

LONGEST = 2_000
"""Characters of a text that is read."""

_LEAD = re.compile(r"(?:.*[=≈:]|(?:approximately|approx\.?|about|around|roughly|exactly|~))\s?", re.IGNORECASE)
_START = re.compile(r"(?<![\w.^,/(+-])[-+]?(?=[\d.]*\d)")
_TRIES = 6
_EDGES = " .,;:!*_`\"'"
_OPENING = re.compile(r"(?:[ ,;:!*_`\"']|\.{2,}|\.(?!\d))*")
"""Edges at the start, where a point before a digit is the number's own: ``.5``."""


class NoQuantity(ValueError):
    """The text holds no number."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and the unit that it counts; ``unit`` is the unit's text, empty where there is none."""

    number: Fraction
    unit: str
    scale: Expression

    @property
    def base(self) -> Fraction:
        """The number in base units."""
        return self.number * self.scale.factor + self.scale.offset


def measure(text: str) -> Measure:
    """The quantity that a text is or, where it is a sentence, its last one.

    Raises :class:`NoQuantity`, :class:`~verifiers.quantity.unit.UnknownUnit`,
    :class:`~verifiers.quantity.number.TooLarge`.
    """
    if len(text) > LONGEST:
        raise NoQuantity(f"a quantity is written in at most {LONGEST} characters")
    text = _OPENING.sub("", plain(text), count=1).rstrip(_EDGES)
    lead = _LEAD.match(text)
    bare = text[lead.end() :] if lead else text
    failure: ValueError = NoQuantity("there is no number")
    for start in dict.fromkeys((len(text) - len(bare), *_starts(text))):
        try:
            return _at(text, start)
        except (NoQuantity, UnknownUnit) as problem:
            # the first reading, of the whole text, says best what is wrong with it
            failure = failure if isinstance(failure, UnknownUnit) else problem
    raise failure


def _starts(text: str) -> list[int]:
    """Where numbers begin, the last first."""
    return [found.start() for found in _START.finditer(text)][: -_TRIES - 1 : -1]


def _at(text: str, start: int) -> Measure:
    number = leading(text, start)
    if number is None:
        raise NoQuantity("there is no number")
    written = text[number.end :].strip(_EDGES)
    return Measure(number.value, written, expression(written, unit))
