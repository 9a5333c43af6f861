"""Unit expressions: ``km/h``, ``kg m^2 / s^3``, ``J/(mol·K)``, ``meters per second squared``, ``s^-1``, ``cm3``.

Bounded: :data:`LONGEST` characters, exponents up to :data:`LARGEST_POWER`. After a ``/`` everything up to the next one
is below it, as people mean ``J/mol K``. A unit with a zero point of its own (°C) has it only where it stands alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from verifiers.units.unit import Powers, Unit, UnknownUnit, find_unit

LONGEST = 120
LARGEST_POWER = 12
_DEEPEST = 8

_TOKEN = re.compile(
    r"\s*(?:(?P<power>\^\s?(?:\(\s?(?P<exponent>[-+]?\d{1,2})\s?\)|(?P<raised>[-+]?\d{1,2}))|(?<=[^\W\d_])(?P<attached>-?\d{1,2})(?!\d))"
    r"|(?P<word>[^\W\d_]+|[%€£¥₹]|°[CFK]?)|(?P<sign>[·*×/()]|-(?=\s?[^\W\d])|1(?=\s?/)))"
)
_RAISING = {"squared": 2, "cubed": 3}
_RAISED = {"square": 2, "cubic": 3, "sq": 2, "cu": 3}
_DEGREES = re.compile(r"(?:\bdeg(?:rees?)?|°)\s?(celsius|fahrenheit|kelvin|[cfk])\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Expression:
    """``base = number * factor + offset``; ``names`` are canonical, so equal units have equal names."""

    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    dimension: Powers = ()
    names: Powers = ()


def expression(text: str, unit: Callable[[str], Unit] = find_unit) -> Expression:
    """What a unit's text stands for; the empty text is the number 1. ``unit`` knows a single name.

    Raises :class:`UnknownUnit`.
    """
    if len(text) > LONGEST:
        raise UnknownUnit(f"a unit is written in at most {LONGEST} characters")
    text = _DEGREES.sub(lambda scale: "°" + scale[1][0].upper(), text.strip())
    return _Reader(text, unit).whole() if text else Expression()


def _product(left: Expression, right: Expression, power: int) -> Expression:
    """``left * right ** power``; zero points are lost."""
    return Expression(
        left.factor * right.factor**power,
        Fraction(0),
        _summed(left.dimension, right.dimension, power),
        _summed(left.names, right.names, power),
    )


def _summed(left: Powers, right: Powers, power: int) -> Powers:
    found: Counter[str] = Counter(dict(left))
    for name, exponent in right:
        found[name] += exponent * power
    if any(abs(exponent) > LARGEST_POWER * 3 for exponent in found.values()):
        raise UnknownUnit("a unit has too large an exponent")
    return tuple(sorted((name, exponent) for name, exponent in found.items() if exponent))


class _Reader:
    """A recursive descent over the tokens; each is read once."""

    def __init__(self, text: str, unit: Callable[[str], Unit]) -> None:
        self._text = text
        self._unit = unit
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        found = self._quotient()
        if self._at < len(self._text):
            raise self._unreadable()
        return found

    def _unreadable(self) -> UnknownUnit:
        return UnknownUnit(f"{self._text[self._at : self._at + 40].strip()!r} is no unit")

    def _peek(self) -> re.Match[str] | None:
        return _TOKEN.match(self._text, self._at)

    def _take(self, found: re.Match[str]) -> None:
        self._at = found.end()

    def _quotient(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnknownUnit("a unit is nested too deeply")
        token = self._peek()
        if token is not None and token["sign"] == "1":
            self._take(token)
            found = Expression()
        else:
            found = self._factors()
        while (token := self._peek()) is not None and (token["sign"] == "/" or token["word"] == "per"):
            self._take(token)
            found = _product(found, self._factors(), -1)
        self._depth -= 1
        return found

    def _factors(self) -> Expression:
        found = self._factor()
        while (token := self._peek()) is not None and token["word"] != "per" and token["sign"] not in ("/", ")"):
            if token["power"]:
                raise self._unreadable()
            if token["sign"] and token["sign"] in "·*×-":
                self._take(token)
            found = _product(found, self._factor(), 1)
        return found

    def _factor(self) -> Expression:
        token = self._peek()
        power = 1
        if token is not None and token["word"] in _RAISED:
            power = _RAISED[token["word"]]
            self._take(token)
            token = self._peek()
        found = self._atom(token)
        token = self._peek()
        if token is not None and (token["power"] or token["word"] in _RAISING):
            self._take(token)
            power *= _RAISING.get(token["word"] or "") or int(token["exponent"] or token["raised"] or token["attached"])
        if abs(power) > LARGEST_POWER:
            raise UnknownUnit(f"a unit's exponent is beyond {LARGEST_POWER}")
        return found if power == 1 else _product(Expression(), found, power)

    def _atom(self, token: re.Match[str] | None) -> Expression:
        if token is None or not (token["word"] or token["sign"] == "("):
            raise self._unreadable()
        self._take(token)
        if token["word"]:
            named = self._unit(token["word"])
            return Expression(named.factor, named.offset, named.dimension, ((named.name, 1),))
        found = self._quotient()
        closing = self._peek()
        if closing is None or closing["sign"] != ")":
            raise self._unreadable()
        self._take(closing)
        return found
