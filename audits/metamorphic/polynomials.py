"""Rewrites and mutations of polynomials in one variable with integer coefficients, ``x^2 - 3x + 2``.

Read into exact coefficients by power; a mutation is one only where these differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from audits.metamorphic.amount import bare
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH

_TERM = re.compile(r"(?P<sign>[+-]?)(?P<factor>[0-9]{0,12})(?:(?P<name>[a-zA-Z])(?:\^\{?(?P<power>[0-9]{1,2})\}?)?)?")
_MEASURED = re.compile(r"-?[0-9]+ [a-zA-Z]")
"""Five metres as well as five m."""
_NAMES = "xyztabmn"
Terms = dict[int, int]
"""Coefficients by power, in the order in which they are written; none is 0."""


def read_polynomial(text: str) -> tuple[str, Terms] | None:
    """The variable and its terms; None for anything else, for numbers, and where a power stands twice."""
    packed = bare(text).replace(" ", "")
    if _MEASURED.fullmatch(text.strip()):
        return None
    terms: Terms = {}
    names: set[str] = set()
    place = 0
    while place < len(packed):
        found = _TERM.match(packed, place)
        if not found or not (found["factor"] or found["name"]) or (place > 0 and not found["sign"]):
            return None
        power = int(found["power"] or 1) if found["name"] else 0
        if power in terms or (found["name"] and power == 0):
            return None
        terms[power] = int(found["factor"] or 1) * (-1 if found["sign"] == "-" else 1)
        names |= {found["name"]} if found["name"] else set()
        place = found.end()
    # e and i are numbers, E an exponent
    if len(names) != 1 or names & {"e", "i", "E"} or 0 in terms.values() or (len(terms) == 1 and terms.get(1) == 1):
        return None
    return names.pop(), terms


def polynomial_reordered(task: Task, dice: Random) -> str | None:
    """The terms the other way round: x^2 + 1 as 1 + x^2."""
    found = read_polynomial(task.text)
    return _written(found[0], dict(reversed(found[1].items()))) if found and len(found[1]) > 1 else None


def polynomial_times(task: Task, dice: Random) -> str | None:
    r"""Products with their sign: 3x as 3 \cdot x."""
    found = read_polynomial(task.text)
    if found is None or all(abs(factor) == 1 or power == 0 for power, factor in found[1].items()):
        return None
    return _written(*found, times=r" \cdot ")


def polynomial_plain(task: Task, dice: Random) -> str | None:
    """As in a programme: 3x^2 as 3*x**2."""
    found = read_polynomial(task.text)
    return _written(*found, times="*", power="**{}") if found else None


def polynomial_coefficient_changed(task: Task, dice: Random) -> str | None:
    """One coefficient one higher: x^2 + 3x as x^2 + 4x."""
    found = read_polynomial(task.text)
    if found is None:
        return None
    name, terms = found
    power = dice.choice(list(terms))
    changed = terms[power] + (1 if terms[power] > 0 else -1)
    return _written(name, {**terms, power: changed})


def polynomial_sign_changed(task: Task, dice: Random) -> str | None:
    """One term with the other sign: x^2 + 3x as x^2 - 3x."""
    found = read_polynomial(task.text)
    if found is None:
        return None
    name, terms = found
    power = dice.choice(list(terms))
    return _written(name, {**terms, power: -terms[power]})


def polynomial_power_changed(task: Task, dice: Random) -> str | None:
    """The highest power one higher: x^2 + 3x as x^3 + 3x."""
    found = read_polynomial(task.text)
    if found is None:
        return None
    name, terms = found
    most = max(terms)
    return _written(name, {power + (power == most): factor for power, factor in terms.items()})


def polynomial_term_dropped(task: Task, dice: Random) -> str | None:
    """One term less: x^2 + 3x as x^2."""
    found = read_polynomial(task.text)
    if found is None or len(found[1]) < 2:
        return None
    name, terms = found
    gone = dice.choice(list(terms))
    return _written(name, {power: factor for power, factor in terms.items() if power != gone})


def polynomial_variable_changed(task: Task, dice: Random) -> str | None:
    """Another variable: x^2 + 1 as y^2 + 1."""
    found = read_polynomial(task.text)
    if found is None:
        return None
    return _written(dice.choice([name for name in _NAMES if name != found[0].lower()]), found[1])


def _written(name: str, terms: Mapping[int, int], times: str = "", power: str = "^{{{}}}") -> str:
    text = ""
    for exponent, factor in terms.items():
        sign = "-" if factor < 0 else "+"
        raised = name + power.format(exponent) if exponent > 1 else name
        size = str(abs(factor))
        term = size if exponent == 0 else raised if size == "1" else f"{size}{times}{raised}"
        text += f" {sign} {term}" if text else f"{sign.strip('+')}{term}"
    return text


POLYNOMIALS = (
    *keeping(MATH, polynomial_reordered, polynomial_times, polynomial_plain),
    *breaking(MATH, polynomial_coefficient_changed, polynomial_sign_changed, polynomial_power_changed),
    *breaking(MATH, polynomial_term_dropped, polynomial_variable_changed),
)
