"""Units that convert exactly: length, area, volume, mass, time, money. ``5 m`` is ``500 cm``."""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.math.quantity import BASE

_SIZES: dict[str, tuple[str, Fraction]] = {
    name: (kind, Fraction(size))
    for kind, sizes in {
        "m": "m:1 cm:1/100 mm:1/1000 km:1000 dm:1/10 in:254/10000 ft:3048/10000 yd:9144/10000 mile:1609344/1000",
        "g": "g:1 kg:1000 mg:1/1000 ton:1000000 lb:45359237/100000 oz:45359237/1600000",
        "s": "s:1 ms:1/1000 min:60 h:3600 day:86400 week:604800",
        "L": "L:1 mL:1/1000 cL:1/100 dL:1/10",
        "dollar": "dollar:1 cent:1/100",
        "m/s": "m/s:1 km/h:10/36 cm/s:1/100 mph:44704/100000",
        "month": "month:1 year:12",
    }.items()
    for name, size in (pair.split(":") for pair in sizes.split())
}
_SAME = {frozenset(("pound", "lb")), frozenset(("pound", "£")), frozenset(("pound", "gbp"))}
_POWER = re.compile(r"(.+)\^([23])")


def factor(answer: str, reference: str) -> Fraction | None:
    """What a number of the one unit is multiplied by to be of the other; None where they do not convert."""
    if answer == reference or (answer.startswith(BASE) and reference.startswith(BASE)):
        return Fraction(1)  # a numeral is read by its base already
    if frozenset((answer, reference)) in _SAME:
        return Fraction(1)
    ours, theirs = _measured(answer), _measured(reference)
    if ours is None or theirs is None or ours[:2] != theirs[:2]:
        return None
    return ours[2] / theirs[2]


def _measured(unit: str) -> tuple[str, int, Fraction] | None:
    """What a unit measures, to which power, and its size."""
    power = _POWER.fullmatch(unit)
    name, exponent = (power[1], int(power[2])) if power else (unit, 1)
    if name not in _SIZES:
        return None
    kind, size = _SIZES[name]
    if kind == "L":  # a litre is a cubic decimetre
        kind, exponent, size = "m", 3 * exponent, size / 1000
        return kind, exponent, size
    return kind, exponent, size**exponent
