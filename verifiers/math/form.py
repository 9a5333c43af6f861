r"""A final answer read as far as exact means go: its plain text, its value where it is rational, its unit.

``x = 3 + 4 = 7`` has the variable ``x`` and the value 7; ``7 = 42`` is a false equation; ``1/3 = 0.333`` has
the value 1/3 and the rounded value 0.333, because the decimal is the fraction's to its last place. What is
not rational (radicals, letters, sets, words) keeps its text for the symbolic stage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from verifiers.math.choose import chosen
from verifiers.math.compound import compound
from verifiers.math.determinant import written_out
from verifiers.math.moment import Moment, moment
from verifiers.math.node import CONSTANTS
from verifiers.math.numeral import value as in_base
from verifiers.math.quantity import BASE, quantity
from verifiers.math.repeating import as_fractions
from verifiers.math.separators import grouped
from verifiers.math.surface import plain
from verifiers.math.token import wordy
from verifiers.math.words import spoken
from verifiers.rational import rational

_EQUALS = re.compile(r"(?<![<>!\\:=])=(?!=)")
_VARIABLE = re.compile(r"\\?[A-Za-z]+(?:_\{?\w{1,8}\}?)?'{0,2}(?:\([^()=]{1,20}\))?")
# variables side by side, an equation in which says nothing of a value
_PRODUCT = re.compile(r"[a-d]{2,3}|[m-n]{2}|[p-s]{2,3}|[u-z]{2,4}")
# what a value is called: no variable that the other side's could differ from
_LABEL = re.compile(
    r"\\text\s?\{[^{}=]{1,60}\}|(?:[A-Za-z]{2,20} ){0,5}[A-Za-z]{3,20}|m?\s?\\angle\s?[A-Z]{1,3}|\|[A-Z]{1,2}\|"
    r"|\\overline\s?\{[A-Z]{2}\}|\\frac\s?\{d\^?\d?[a-z]\}\s?\{d[a-z]\^?\d?\}|[A-Z][a-z]{0,2}[\[(][A-Z\s|]{1,9}[\])]"
)
_NAMED = re.compile(r"(\(\s?[A-Za-z](?:_\{?\w\}?)?(?:\s?,\s?[A-Za-z](?:_\{?\w\}?)?)+\s?\))\s?=")
_FUNCTION = re.compile(r"[A-Za-z]'{0,2}\([a-z]\)")
_POINT = re.compile(r"[A-Z]'{0,2}\s?=?\s?(?=\([^()]{0,60},)")
_ENVIRONMENT = re.compile(
    r"(?:(?P<name>\\?[A-Za-z](?:_\{?\w\}?)?'?(?:\s?\([^()=]{1,20}\))?)\s?=\s?)?\\begin(?![A-Za-z])"
)
_SPACED = re.compile(r"[-+]?[1-9]\d{0,2}(?: \d{3})+(?:\.\d+)?", re.ASCII)
_APPROXIMATELY = re.compile(r"\\(?:approx|simeq|doteq|thickapprox)(?![A-Za-z])")
_COMMAND = re.compile(r"\\(?:begin|end)\{[A-Za-z]+\*?\}|\\(?!text)[A-Za-z]+")
_LIST = re.compile(r";|,(?!\d{3}(?!\d))|(?<!\d),")
_DECIMAL = re.compile(r"[-+]?\d*\.(\d{1,40})")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Form:
    """One side of the comparison; ``core`` is the text without variable and unit."""

    text: str
    core: str
    value: Fraction | None = None
    unit: str = ""
    variable: str = ""
    rounded: Fraction | None = None
    false: bool = False
    moment: Moment | None = None

    @property
    def shown(self) -> str:
        """The exact value where there is one that is short enough, else the text."""
        if self.value is None or self.value.denominator.bit_length() > 200 or len(self.text) > 60:
            return self.text
        if self.value.numerator.bit_length() > 200 or self.unit.startswith(BASE):
            return self.text
        return f"{self.value} {self.unit}".strip()

    @property
    def wordy(self) -> bool:
        """True where the text is words rather than mathematics."""
        if "\\text" in self.core:
            return True
        runs = _LETTERS.findall(_COMMAND.sub(" ", self.core))
        return any(len(run) > 2 and wordy(run) for run in runs) or self.core.lower() == "no"


@lru_cache(maxsize=1024)
def form(text: str) -> Form:
    """Reads a text. Raises :class:`~verifiers.rational.TooLarge` where a number is beyond the bounds."""
    text = plain(text)
    if "matrix" in text and ("vmatrix" in text or "\\det" in text or "|" in text):
        text = written_out(text)
    if ("C" in text or "P" in text) and not _POINT.match(text):
        text = chosen(text)
    if "=" not in text and "\\" not in text and not text.endswith(")"):
        return _single(text)
    environment = _ENVIRONMENT.match(text)
    if environment is not None:
        name = environment["name"] or ""
        return Form(
            text, text[environment.end("name") + 1 if name else 0 :].strip(" ="), variable=name.replace(" ", "")
        )
    point = _POINT.match(text)
    if point is not None and text.endswith(")"):
        return _single(text, core=text[point.end() :])
    named = _NAMED.match(text)
    if named is not None:
        return _single(text, core=text[named.end() :].strip(), variable=named[1].replace(" ", ""))
    sides = [side.strip() for part in _EQUALS.split(text) for side in _APPROXIMATELY.split(part)]
    inside_braces = any(side.count("{") != side.count("}") for side in sides)
    if len(sides) < 2 or not all(sides) or _LIST.search(text) or inside_braces:
        return _single(text)
    variable = ""
    if _is_label(sides[0]):
        sides = sides[1:]
    elif _VARIABLE.fullmatch(sides[0]) and sides[0].lower() != "no" and not _PRODUCT.fullmatch(sides[0]):
        variable, sides = sides[0].replace(" ", ""), sides[1:]
    elif (
        len(sides) == 2
        and _VARIABLE.fullmatch(sides[1])
        and sides[1] not in CONSTANTS
        and not _PRODUCT.fullmatch(sides[1])
    ):
        variable, sides = sides[1].replace(" ", ""), sides[:1]
    while len(sides) > 1 and _FUNCTION.fullmatch(sides[0]):  # y = f(x) = 2x
        sides = sides[1:]
    if len(sides) == 1:
        return _single(text, core=sides[0], variable=variable)
    return _chain(text, sides, variable)


def _is_label(text: str) -> bool:
    """``Area``, ``|AB|``, ``dy/dx``, but no number in words and no word that denies."""
    if _LABEL.fullmatch(text) is None:
        return False
    words = text.removeprefix("\\text").strip("{ }").lower()
    return words not in ("no", "not", "pi") and "not " not in words and spoken(words) is None


def _single(text: str, core: str = "", variable: str = "") -> Form:
    when = moment(core or text)
    if when is not None:
        return Form(text, core or text, variable=variable, moment=when)
    core = grouped(as_fractions(core or text))
    if " " in core and _SPACED.fullmatch(core):
        core = core.replace(" ", "")
    value = rational(core)
    if value is not None:
        return Form(text, core, value, variable=variable)
    several = compound(core)
    if several is not None:
        return Form(text, core, several[0], several[1], variable)
    measured = quantity(core)
    if not measured.unit:
        return Form(text, core, spoken(core), variable=variable)
    if measured.unit.startswith(BASE):
        value = in_base(measured.core, int(measured.unit[len(BASE) :]))
    else:
        value = rational(measured.core)
        if value is None and measured.unit == "dollar":
            value = spoken(measured.core)  # $1.5 million
    return Form(text, measured.core, value, measured.unit, variable)


def _chain(text: str, sides: list[str], variable: str) -> Form:
    """``3 + 4 = 7``: all sides equal, or the last one a rounding; a chain that is not all numbers is text."""
    read = [_single(side) for side in sides]
    first, last = read[0], read[-1]
    if any(side.value is None for side in read):
        kept = sides[0] if _APPROXIMATELY.search(text) and not _EQUALS.search(text) else " = ".join(sides)
        return _single(text, kept, variable) if kept == sides[0] else Form(text, kept, variable=variable)
    assert first.value is not None
    if not all(_same(first.value, side) for side in read[1:]):
        return Form(text, text, first.value, variable=variable, false=True)
    rounded = None if last.value == first.value else last.value
    return Form(text, last.core, first.value, last.unit or first.unit, variable, rounded)


def _same(value: Fraction, side: Form) -> bool:
    """Whether a side has the value, or is a decimal that differs by at most half of its last place."""
    assert side.value is not None
    if side.value == value:
        return True
    decimals = _DECIMAL.fullmatch(side.core)
    return decimals is not None and abs(side.value - value) * 2 * 10 ** len(decimals[1]) <= 1
