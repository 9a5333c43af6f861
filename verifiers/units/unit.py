"""The common units by symbol, name and plural, with SI prefixes and exact factors; a table, nothing is loaded.

Rarer ones are in pint's registry (:mod:`verifiers.quantity.unit`), which has the same names and dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

Powers = tuple[tuple[str, int], ...]
"""Names with their exponents, sorted, none of them zero."""


class UnknownUnit(ValueError):
    """There is no unit of that name."""


@dataclass(frozen=True, slots=True)
class Unit:
    """``base = number * factor + offset`` in units of the base dimensions; ``name`` is canonical."""

    name: str
    factor: Fraction
    offset: Fraction
    dimension: Powers


_BASES = {
    "L": "[length]", "M": "[mass]", "T": "[time]", "I": "[current]", "K": "[temperature]", "N": "[substance]",
    "J": "[luminosity]",
}  # fmt: skip

# canonical name: symbols; other names; factor in SI base units; dimension
_PREFIXED = {
    "meter": "m; metre; 1; L1", "gram": "g; gramme; 1/1000; M1", "second": "s; sec; 1; T1", "ampere": "A; amp; 1; I1",
    "kelvin": "K; ; 1; K1", "mole": "mol; ; 1; N1", "candela": "cd; ; 1; J1", "hertz": "Hz; ; 1; T-1",
    "newton": "N; ; 1; L1 M1 T-2", "pascal": "Pa; ; 1; L-1 M1 T-2", "joule": "J; ; 1; L2 M1 T-2",
    "watt": "W; ; 1; L2 M1 T-3", "coulomb": "C; ; 1; I1 T1", "volt": "V; ; 1; I-1 L2 M1 T-3",
    "ohm": "Ω; ; 1; I-2 L2 M1 T-3", "farad": "F; ; 1; I2 L-2 M-1 T4", "tesla": "T; ; 1; I-1 M1 T-2",
    "liter": "L l; litre; 1/1000; L3", "electron_volt": "eV; electronvolt; 1602176634e-28; L2 M1 T-2",
    "calorie": "cal; ; 4184/1000; L2 M1 T-2", "bar": "bar; ; 100000; L-1 M1 T-2",
}  # fmt: skip
_ALONE = {
    "minute": "min; mins; 60; T1", "hour": "h hr hrs; ; 3600; T1", "day": "d; ; 86400; T1", "week": "wk; ; 604800; T1",
    "inch": "in; inche; 254/10000; L1", "foot": "ft; feet; 3048/10000; L1", "yard": "yd; yds; 9144/10000; L1",
    "mile": "mi; ; 1609344/1000; L1", "pound": "lb lbs; ; 45359237/100000000; M1",
    "ounce": "oz; ; 45359237/1600000000; M1", "metric_ton": "t; ton tonne; 1000; M1",
    "mile_per_hour": "mph; ; 1609344/3600000; L1 T-1", "km_per_hour": "kph kmh kmph; ; 1000/3600; L1 T-1",
    "gallon": "gal; ; 3785411784/1000000000000; L3", "quart": "qt; ; 946352946/1000000000000; L3",
    "pint": "; ; 473176473/1000000000000; L3",
    "hectare": "ha; ; 10000; L2", "standard_atmosphere": "atm; ; 101325; L-1 M1 T-2",
}  # fmt: skip
_PREFIXES = {
    "peta": ("P", 15), "tera": ("T", 12), "giga": ("G", 9), "mega": ("M", 6), "kilo": ("k", 3), "hecto": ("h", 2),
    "deci": ("d", -1), "centi": ("c", -2), "milli": ("m", -3), "micro": ("µ", -6), "nano": ("n", -9),
    "pico": ("p", -12), "femto": ("f", -15),
}  # fmt: skip


def _read(entry: str) -> tuple[list[str], list[str], Fraction, Powers]:
    symbols, others, factor, powers = (part.strip() for part in entry.split(";"))
    dimension = tuple(sorted((_BASES[power[0]], int(power[1:])) for power in powers.split()))
    return symbols.split(), others.split(), Fraction(factor), dimension


def _table() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for name, entry in _PREFIXED.items():
        symbols, others, factor, dimension = _read(entry)
        for prefix, (sign, power) in (*_PREFIXES.items(), ("", ("", 0))):
            size = factor * Fraction(10) ** power
            unit = Unit(prefix + name, size, Fraction(0), dimension)
            signs = ("µ", "μ", "u") if sign == "µ" else (sign,)
            found |= {each + symbol: unit for each in signs for symbol in symbols}
            found |= {prefix + each + end: unit for each in (name, *others) for end in ("", "s")}
    # a name of its own goes before a prefix: min is no milli-inch
    for name, entry in _ALONE.items():
        symbols, others, factor, dimension = _read(entry)
        unit = Unit(name, factor, Fraction(0), dimension)
        found |= dict.fromkeys(symbols, unit)
        found |= {each + end: unit for each in (name, *others) for end in ("", "s")}
    del found["hbar"]  # Planck's constant
    return found


_UNITS = _table()


@lru_cache(maxsize=4096)
def find_unit(name: str) -> Unit:
    """The unit of that name, symbol or plural. Raises :class:`UnknownUnit`."""
    # words may be capitalised; symbols tell milli from mega by their case
    found = _UNITS.get(name) or (_UNITS.get(name.lower()) if len(name) > 3 else None)
    if found is None:
        raise UnknownUnit(f"there is no unit {name[:40]!r}")
    return found
