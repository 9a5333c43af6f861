"""Units by name, with exact factors: those of every verifier, a few in Chinese and Russian, and all of pint's registry.

Only single names reach pint, never an expression: its parser evaluates powers of any size. Units on a logarithmic
scale (decibel) and those of fractional dimension (statcoulomb) count as unknown.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from verifiers.units.unit import Unit, UnknownUnit, find_unit

if TYPE_CHECKING:
    import pint

LONGEST_NAME = 40
CURRENCIES = "€£¥₹"
"""Signs that are units of their own: none converts into another."""

# what people write and pint reads otherwise, or not at all
_NAMES = {
    "°": "degree", "°C": "degC", "°F": "degF", "°K": "kelvin", "AU": "astronomical_unit", "Celsius": "degC",
    "Fahrenheit": "degF", "fahrenheit": "degF", "celsius": "degC", "mins": "minute", "secs": "second", "hrs": "hour",
    "kgs": "kg", "kms": "km", "cms": "cm", "gms": "g",
    "kph": "km_per_hour", "kmh": "km_per_hour", "kmph": "km_per_hour", "Cal": "kilocalorie",
    "ton": "metric_ton", "tons": "metric_ton",
}  # fmt: skip
# the units of school books in Chinese and Russian
OTHER_LANGUAGES = {
    "米": "m", "公尺": "m", "千米": "km", "公里": "km", "厘米": "cm", "毫米": "mm", "克": "g", "千克": "kg",
    "公斤": "kg", "毫克": "mg", "吨": "t", "秒": "s", "分钟": "min", "小时": "h", "天": "d", "升": "L", "毫升": "mL",
    "м": "m", "метр": "m", "метра": "m", "метров": "m", "км": "km", "километр": "km", "километра": "km",
    "километров": "km", "см": "cm", "мм": "mm", "г": "g", "кг": "kg", "килограмм": "kg", "килограмма": "kg",
    "килограммов": "kg", "мг": "mg", "т": "t", "с": "s", "сек": "s", "секунда": "s", "секунды": "s", "секунд": "s",
    "мин": "min", "минута": "min", "минуты": "min", "минут": "min", "ч": "h", "час": "h", "часа": "h", "часов": "h",
    "л": "L", "мл": "mL",
}  # fmt: skip
_NAME = re.compile(r"[^\W\d_]+(?:_[^\W\d_]+)*|%|°[CFK]?")


@cache
def _registry() -> pint.UnitRegistry[Fraction]:
    import pint

    registry: pint.UnitRegistry[Fraction] = pint.UnitRegistry(non_int_type=Fraction)
    registry.define("km_per_hour = kilometer / hour")
    return registry


def unit(name: str) -> Unit:
    """The unit of that name, symbol or plural, with or without prefix. Raises :class:`UnknownUnit`."""
    if len(name) == 1 and name in CURRENCIES:
        return Unit(name, Fraction(1), Fraction(0), ((f"[{name}]", 1),))
    if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
        raise UnknownUnit(f"{name[:LONGEST_NAME]!r} is not the name of a unit")
    try:
        return find_unit(OTHER_LANGUAGES.get(name, name))
    except UnknownUnit:
        name = _NAMES.get(name, name)
    # words may be capitalised; symbols tell milli from mega by their case
    for spelling in dict.fromkeys((name, name.lower() if len(name) > 3 else name)):
        found = _looked_up(spelling)
        if found is not None:
            return found
    raise UnknownUnit(f"there is no unit {name!r}")


def _looked_up(name: str) -> Unit | None:
    import pint

    registry = _registry()
    try:
        # three points tell a linear scale from another
        zero, one, two = (registry.Quantity(Fraction(number), name).to_base_units() for number in range(3))
        canonical = str(registry.get_name(name))
    except (pint.PintError, TypeError, ValueError, AssertionError, ArithmeticError):
        return None
    factor = one.magnitude - zero.magnitude
    if two.magnitude - one.magnitude != factor or not isinstance(factor, Fraction):
        return None
    powers = {str(base): Fraction(str(power)) for base, power in one.dimensionality.items()}
    if any(power.denominator != 1 for power in powers.values()):
        return None
    dimension = tuple(sorted((base, int(power)) for base, power in powers.items()))
    return Unit(canonical, factor, Fraction(zero.magnitude), dimension)
