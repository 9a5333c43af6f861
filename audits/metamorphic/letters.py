r"""Letters of an expression are no unit, no function's value is a product, and a name is part of an equation.

Mutations drop or add letters beside a number, change the argument of a function, or one side of an equation. Only texts
of few plain tokens fit, so that what was changed is known by syntax.
"""

from __future__ import annotations

import re
from random import Random

from audits.metamorphic.amount import format_decimal, read_number
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH, VALUES

_LETTERS = ("m n", "ab", "xy", "x^{2}", r"\theta", r"\sin x", r"\cot x", "g h", "e^{2}")
_MONOMIAL = re.compile(
    r"(?P<number>-?\d{1,9}|-?\\frac\{\d{1,6}\}\{\d{1,6}\}) ?"
    r"(?P<letters>[a-df-hj-z](?: ?[a-df-hj-z]| ?\^\{?[2-9]\}?){0,3})"
)
_PRODUCT = re.compile("[a-d]{2,3}|[u-z]{2,3}|mn|pq|rs")
_VALUE = re.compile(r"(?<![A-Za-z\\])(?P<name>[fghyPIVNQ])\((?P<at>\d{1,3})\)")
_NAMED = re.compile(r"(?P<name>[a-df-hj-z]|[a-z]\([a-z]\)) ?= ?(?P<value>[^=<>,;]{1,200})")
_CLAIM = re.compile(r"(?P<before>[A-Z]\([A-Z] ?= ?)(?P<at>\d{1,3})(?P<after>\) ?= ?\S.*)")
_COEFFICIENT = re.compile(r"(?<![\d.^_{\\])(?P<number>[2-9])(?![\d.])")
_ROUNDED = re.compile(r"(?P<exact>.{1,200}\\approx ?)(?P<rounded>-?\d{1,9}\.\d{1,9})")


def letters_added(task: Task, dice: Random) -> str | None:
    """Factors after a number: 16 as 16 m n."""
    number = read_number(task.text.strip())
    return f"{number} {dice.choice(_LETTERS)}" if number is not None and number.value not in (0, 1) else None


def letters_dropped(task: Task, dice: Random) -> str | None:
    """A coefficient alone: 16 m n as 16."""
    found = _MONOMIAL.fullmatch(task.text.strip())
    if (
        found is None
        or len(found["letters"]) < 2
        or (found["letters"].isalpha() and not _PRODUCT.fullmatch(found["letters"]))
    ):
        return None  # one letter, or two that may be a unit's: 5 km
    return found["number"]


def letters_power_changed(task: Task, dice: Random) -> str | None:
    """A coefficient with a letter less: 6 x^{2} as 6 x."""
    found = _MONOMIAL.fullmatch(task.text.strip())
    return f"{found['number']} {found['letters'][0]}" if found is not None and "^" in found["letters"] else None


def function_value_dropped(task: Task, dice: Random) -> str | None:
    """Its argument for a function's value: f(0) as 0."""
    found = _VALUE.search(task.text)
    return _VALUE.sub(lambda match: match["at"], task.text) if found else None


def function_argument_changed(task: Task, dice: Random) -> str | None:
    """Another argument: f(1) as f(2)."""
    found = _VALUE.search(task.text)
    if found is None or len(_VALUE.findall(task.text)) > 1:
        return None
    return f"{task.text[: found.start('at')]}{int(found['at']) + 1}{task.text[found.end('at') :]}"


def claim_changed(task: Task, dice: Random) -> str | None:
    """Another event of the same probability: P(X=4)=5/8 as P(X=5)=5/8."""
    found = _CLAIM.fullmatch(task.text.strip())
    return f"{found['before']}{int(found['at']) + 1}{found['after']}" if found else None


def named_value_changed(task: Task, dice: Random) -> str | None:
    """Another coefficient of a named value: y = 2 e^{x} as y = 3 e^{x}."""
    found = _NAMED.fullmatch(task.text.strip())
    numbers = list(_COEFFICIENT.finditer(found["value"])) if found else []
    # one number alone: nothing else can make it good
    if found is None or len(numbers) != 1 or not re.search(r"[a-z\\]", found["value"]) or "0" in found["value"]:
        return None
    [number] = numbers
    value = found["value"][: number.start()] + str(int(number[0]) + 1) + found["value"][number.end() :]
    return f"{found['name']} = {value}"


def named_value_zero(task: Task, dice: Random) -> str | None:
    """Nothing for a named value: y = 2 e^{x} as y = 0."""
    found = _NAMED.fullmatch(task.text.strip())
    grown = found is not None and re.search(r"e\^|\\ln|\\sqrt|\\cos", found["value"]) and "-" not in found["value"]
    return f"{found['name']} = 0" if found is not None and grown else None


def rounding_changed(task: Task, dice: Random) -> str | None:
    r"""Another decimal behind \approx."""
    found = _ROUNDED.fullmatch(task.text.strip())
    number = read_number(found["rounded"]) if found else None
    if found is None or number is None:
        return None
    other = format_decimal(number.value + 1)
    return f"{found['exact']}{other}" if other else None


def letter_upright(task: Task, dice: Random) -> str | None:
    r"""The imaginary unit upright: 1-5i as 1-5\mathrm{i}."""
    found = re.fullmatch(r"(-?\d{1,9} ?[+-] ?\d{0,9}) ?i", task.text.strip())
    return f"{found[1]}\\mathrm{{i}}" if found else None


LETTERS = (
    *breaking(VALUES, letters_added, letters_dropped),
    *breaking(MATH, letters_power_changed, function_value_dropped, function_argument_changed, claim_changed),
    *breaking(MATH, named_value_changed, named_value_zero, rounding_changed),
    *keeping(MATH, letter_upright),
)
