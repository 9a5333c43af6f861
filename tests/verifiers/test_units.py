"""Units: the table that every verifier reads, its expressions, and that pint agrees with it."""

from __future__ import annotations

from fractions import Fraction

import pint
import pytest

from verifiers.units import UnknownUnit, expression, find_unit
from verifiers.units.unit import _UNITS

_NOT_PINTS = {
    "min",
    "mins",
    "kph",
    "kmh",
    "kmph",
    "h",
    "hr",
    "hrs",
    "t",
    "ton",
    "tons",
    "amps",
    "mcd",
    "inche",
    "inches",
}
"""Names that pint reads otherwise, or not at all."""


def test_the_table_has_the_sizes_of_the_registry() -> None:
    """Of each unit by the last of its names; one that only this table has is skipped."""
    registry: pint.UnitRegistry[Fraction] = pint.UnitRegistry(non_int_type=Fraction)
    named = {unit.name: name for name, unit in _UNITS.items() if name not in _NOT_PINTS}
    for canonical, name in named.items():
        unit = _UNITS[name]
        try:
            found = registry.Quantity(Fraction(1), name).to_base_units()
        except pint.PintError:
            continue
        if canonical not in ("metric_ton", "km_per_hour"):
            assert dict(unit.dimension) == {str(base): power for base, power in found.dimensionality.items()}, name
            assert float(unit.factor) == pytest.approx(float(found.magnitude)), name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("m/s", "m s^-1"),
        ("m/s", "m/(s)"),
        ("N m", "N - m"),
        ("m/s^2", "m/(s^(2))"),
        ("meters per second squared", "m/s^2"),
        ("kJ", "J"),
        ("g/cm^3", "kg/m^3"),
    ],
)
def test_expressions_of_one_dimension(one: str, other: str) -> None:
    assert expression(one).dimension == expression(other).dimension


@pytest.mark.parametrize("name", ["x", "xy", "apples", "", "sin", "ab"])
def test_what_is_no_unit(name: str) -> None:
    with pytest.raises(UnknownUnit):
        find_unit(name)


def test_prefixes_are_told_by_their_case() -> None:
    assert find_unit("MHz").factor == 10**9 * find_unit("mHz").factor
