"""Rewrites and mutations of what stands around a number: units, percent, degrees, currencies, a variable.

Units are a table of our own with exact sizes. A unit of one letter without ``\\text`` could be a variable, so there
only the verifier of quantities is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from audits.metamorphic.amount import DecimalNumber, SurroundedNumber, format_decimal, read_amount, read_number
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH, NUMBERS, VALUES

MEASURES = MATH | {"quantity"}


@dataclass(frozen=True, slots=True)
class UnitOfMeasure:
    """``size`` in the first unit of its dimension."""

    symbol: str
    name: str
    dimension: str
    size: Fraction


def _units(dimension: str, *units: tuple[str, str, str]) -> list[UnitOfMeasure]:
    return [UnitOfMeasure(symbol, name, dimension, Fraction(size)) for symbol, name, size in units]


UNITS: Sequence[UnitOfMeasure] = [
    *_units("length", ("m", "meters", "1"), ("mm", "millimeters", "1/1000"), ("cm", "centimeters", "1/100")),
    *_units("length", ("km", "kilometers", "1000")),
    *_units("mass", ("kg", "kilograms", "1"), ("g", "grams", "1/1000"), ("mg", "milligrams", "1/1000000")),
    *_units("time", ("s", "seconds", "1"), ("min", "minutes", "60"), ("h", "hours", "3600")),
    *_units("speed", ("m/s", "meters per second", "1"), ("km/h", "kilometers per hour", "5/18")),
    *_units("force", ("N", "newtons", "1"), ("kN", "kilonewtons", "1000")),
    *_units("energy", ("J", "joules", "1"), ("kJ", "kilojoules", "1000")),
]
_BY_SYMBOL = {unit.symbol: unit for unit in UNITS}
_NAMED = {form: unit for unit in UNITS for form in (unit.name, unit.name.removesuffix("s"))}
_DRESSED_UNIT = re.compile(r"(?:\s|\\,|\\ |~)*\\(?:text|mathrm)\{\s*(?P<set>[A-Za-z /]+?)\s*\}| (?P<plain>[A-Za-z/]+)")
_WITH_UNIT = re.compile(rf"(?P<number>[^A-Za-z\\]+?)(?P<unit>{_DRESSED_UNIT.pattern})")
_DEGREES = ("^\\circ", "^{\\circ}", "°")
_PERCENT = (" %", "%", " \\%", "\\%")


def unit_set_as_text(task: Task, dice: Random) -> str | None:
    r"""In LaTeX: 5 km as 5\ \text{km}."""
    found = _measured(task)
    return rf"{found[0]}\ \text{{{found[1].symbol}}}" if found else None


def unit_after_blank(task: Task, dice: Random) -> str | None:
    r"""In plain text: 5\ \text{km} as 5 km."""
    found = _measured(task)
    if found is None or (len(found[1].symbol) == 1 and task.verifier != "quantity"):
        return None
    return f"{found[0]} {found[1].symbol}"


def unit_spelt_out(task: Task, dice: Random) -> str | None:
    """By its name: 5 km as 5 kilometers."""
    found = _measured(task)
    return f"{found[0]} {found[1].name}" if found else None


def unit_converted(task: Task, dice: Random) -> str | None:
    r"""In another unit of the same dimension: 5 km as 5000\ \text{m}."""
    found = _measured(task)
    if found is None or task.params.get("unit") in ("require", "strip"):
        return None
    number, unit = found
    other = dice.choice([each for each in UNITS if each.dimension == unit.dimension and each is not unit])
    value = format_decimal(number.value * unit.size / other.size)
    return rf"{value}\ \text{{{other.symbol}}}" if value else None


def unit_changed(task: Task, dice: Random) -> str | None:
    r"""The same number of another unit: 5 km as 5\ \text{cm}."""
    found = _measured(task)
    if found is None or found[0].value == 0 or task.params.get("unit") == "strip":
        return None
    number, unit = found
    return rf"{number}\ \text{{{dice.choice([each for each in UNITS if each.size != unit.size]).symbol}}}"


def percent_escaped(task: Task, dice: Random) -> str | None:
    r"""As LaTeX wants it: 50% as 50\%."""
    return _around(task, "", _PERCENT, r"{}\%")


def percent_spelt_out(task: Task, dice: Random) -> str | None:
    """In a word: 50% as 50 percent."""
    return _around(task, "", _PERCENT, "{} percent")


def degrees_sign(task: Task, dice: Random) -> str | None:
    r"""With Unicode's sign: 90^\circ as 90°."""
    return _around(task, "", _DEGREES, "{}°")


def degrees_latex(task: Task, dice: Random) -> str | None:
    r"""With LaTeX's sign: 90° as 90^{\circ}."""
    return _around(task, "", _DEGREES, r"{}^{{\circ}}")


def degrees_spelt_out(task: Task, dice: Random) -> str | None:
    """In a word: 90° as 90 degrees."""
    return _around(task, "", _DEGREES, "{} degrees")


def dollars_escaped(task: Task, dice: Random) -> str | None:
    r"""As LaTeX wants it: $5 as \$5."""
    return _around(task, "$", ("",), r"\${}") or _around(task, "\\$", ("",), "${}")


def dollars_spelt_out(task: Task, dice: Random) -> str | None:
    """In a word: $5 as 5 dollars."""
    return _around(task, "$", ("",), "{} dollars") or _around(task, "\\$", ("",), "{} dollars")


def dollars_as_euros(task: Task, dice: Random) -> str | None:
    """Another currency: $5 as €5."""
    return _around(task, "$", ("",), "€{}") or _around(task, "\\$", ("",), "€{}")


def equation_value(task: Task, dice: Random) -> str | None:
    """The value alone: x = 3 as 3."""
    found = _equation(task)
    return str(found.number) if found else None


def equation_spacing(task: Task, dice: Random) -> str | None:
    """Without blanks: x = 3 as x=3."""
    found = _equation(task)
    return f"{found.before[0]}={found.number}" if found else None


def equation_variable_changed(task: Task, dice: Random) -> str | None:
    """Another variable: x = 3 as y = 3."""
    found = _equation(task)
    other = dice.choice("abkmnpqrtuvwyz")
    return f"{other} = {found.number}" if found and found.before[0].lower() != other else None


def _measured(task: Task) -> tuple[DecimalNumber, UnitOfMeasure] | None:
    found = _WITH_UNIT.fullmatch(task.text.strip())
    if found is None:
        return None
    symbol = found["set"] or found["plain"]
    unit = _BY_SYMBOL.get(symbol) or _NAMED.get(symbol)
    number = read_number(found["number"])
    sure = found["set"] or len(symbol) > 1 or task.verifier == "quantity"
    return (number, unit) if number and unit and sure else None


def _around(task: Task, before: str, after: Sequence[str], form: str) -> str | None:
    amount = read_amount(task.text)
    if amount is None or amount.before != before or amount.after not in after or not (before or amount.after):
        return None
    return form.format(amount.number)


def _equation(task: Task) -> SurroundedNumber | None:
    amount = read_amount(task.text)
    return amount if amount and amount.before.endswith(("=", "= ")) and not amount.after else None


UNITS_AND_SIGNS = (
    *keeping(MEASURES, unit_set_as_text, unit_after_blank, unit_spelt_out, unit_converted),
    *breaking(MEASURES, unit_changed),
    *keeping(NUMBERS, percent_escaped, percent_spelt_out),
    *keeping(VALUES, degrees_sign, degrees_latex, degrees_spelt_out, dollars_escaped, dollars_spelt_out),
    *breaking(MATH, dollars_as_euros, equation_variable_changed),
    *keeping(VALUES, equation_value),
    *keeping(MATH, equation_spacing),
)
