"""Units that convert exactly: those of :mod:`verifiers.units`, and money and months. ``5 m`` is ``500 cm``."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from verifiers.math.reading.quantity import BASE
from verifiers.units import Expression, Unit, UnknownUnit, expression, find_unit

# what a registry of physical units has not, or counts otherwise: a year is twelve months, in no certain days
_OWN = {
    name: Unit(name, Fraction(size), Fraction(0), ((kind, 1),))
    for name, kind, size in (
        ("dollar", "[dollar]", "1"), ("cent", "[dollar]", "1/100"), ("month", "[month]", "1"),
        ("year", "[month]", "12"), ("pound", "[mass]", "45359237/100000000"),
    )
}  # fmt: skip
_OWN["M"] = Unit("molar", Fraction(1000), Fraction(0), (("[length]", -3), ("[substance]", 1)))
# a degree in kelvins, and where the scale begins
_SCALES = {
    "K": (Fraction(1), Fraction(0)),
    "°K": (Fraction(1), Fraction(0)),
    "°C": (Fraction(1), Fraction("273.15")),
    "°F": (Fraction(5, 9), Fraction("459.67") * Fraction(5, 9)),
}
_SAME = {frozenset(("pound", "£")), frozenset(("pound", "gbp"))}


@lru_cache(maxsize=2048)
def factor(answer: str, reference: str) -> Fraction | None:
    """What a number of the one unit is multiplied by to be of the other; None where they do not convert."""
    if answer == reference or (answer.startswith(BASE) and reference.startswith(BASE)):
        return Fraction(1)  # a numeral is read by its base already
    if frozenset((answer, reference)) in _SAME:
        return Fraction(1)
    ours, theirs = _measured(answer), _measured(reference)
    if ours is None or theirs is None or ours.dimension != theirs.dimension:
        return None
    return ours.factor / theirs.factor


def convert(value: Fraction, answer: str, reference: str) -> Fraction | None:
    """A number of the one unit as one of the other; a temperature is a point on its scale. None as :func:`factor`."""
    if answer in _SCALES and reference in _SCALES:
        (ours, from_zero), (theirs, to_zero) = _SCALES[answer], _SCALES[reference]
        return (value * ours + from_zero - to_zero) / theirs
    size = factor(answer, reference)
    return None if size is None else value * size


def _measured(unit: str) -> Expression | None:
    try:
        found = expression(unit.replace("{", "(").replace("}", ")"), _named)
    except UnknownUnit:
        return None
    return found if found.dimension and not found.offset else None


def _named(name: str) -> Unit:
    return _OWN[name] if name in _OWN else find_unit(name)


LONGEST_PROMPT = 20_000
_OTHER_NAMES = {"meter": "metre", "liter": "litre", "kelvin": "kelvins", "hour": "hrs", "gram": "grams"}


def names_unit(prompt: str, unit: str) -> bool:
    """Whether a prompt names a unit: by its word (``meters``), or upright after a number (``5\\text{ m}``)."""
    found = _measured(unit)
    if found is None or not prompt:
        return False
    asked = prompt[:LONGEST_PROMPT].lower()
    names = [name for name, _ in found.names]
    if all(name in asked or _OTHER_NAMES.get(name, name) in asked for name in names):
        return True
    return re.search(rf"\\(?:text|mathrm)\s?\{{[\s~]{{0,3}}{re.escape(unit.lower())}[\s.]?\}}", asked) is not None
