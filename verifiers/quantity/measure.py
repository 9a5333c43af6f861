r"""A quantity read out of text: its number, its unit, and how it was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from verifiers.extract.denial import is_excluded
from verifiers.math.reading.compound import compound
from verifiers.math.reading.words import parse_words
from verifiers.quantity.number import leading
from verifiers.quantity.unit import CURRENCIES, unit
from verifiers.units import Expression, UnknownUnit, expression

_SET = r"\\(?:text|textrm|mathrm|mathbf|textbf|rm|operatorname|unit|si|boxed)(?![A-Za-z])\s?"
_GROUP = re.compile(_SET + r"\{([^{}]*)\}")
_WRAPPER = re.compile(_SET)
_SPACE = re.compile(r"\\[,;:! ]|~|\\quad|\\qquad|[\u00a0\u2009\u202f]")
# 5{,}000, 5\\,000, 5 000
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:(?:\{,\}|\\,|[ \u00a0\u2009\u202f])\d{3})+(?![\d./])")
_NO_DIGIT = re.compile(r"\D+")
_SIGNS = {
    r"^{\circ}": "°", r"^\circ": "°", r"\circ": "°", r"\degree": "°", "º": "°", "℃": "°C", "℉": "°F",
    r"\mu": "µ", r"\mu ": "µ", "μ": "µ", r"\Omega": "Ω", "\u2126": "Ω",
    r"\AA": "angstrom", "Å": "angstrom", "\u212b": "angstrom", r"\%": "%", r"\cdot": "·", "⋅": "·", "∙": "·",
    r"\times": "×", r"\approx": "≈", "−": "-", "–": "-", "‐": "-", "**": "^", "⁄": "/",
    "$": " ", r"\(": " ", r"\)": " ", r"\left": "", r"\right": "",
}  # fmt: skip
_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True)))
_INSIDE = r"\{((?:[^{}]|\{[^{}]{0,20}\})*)\}"
_FRACTION = re.compile(rf"\\[dt]?frac\s?{_INSIDE}\s?{_INSIDE}")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
LONGEST = 2_000
"""Characters of a text that is read."""
_LEAD = re.compile(r"(?:.*[=≈:]|(?:approximately|approx\.?|about|around|roughly|exactly|~))\s?", re.IGNORECASE)
_START = re.compile(r"(?<![\w.^,/(+-])[-+]?(?=[\d.]*\d)")
_TRIES = 6
_REACH = 40
_DENIED = re.compile(r"(?:\b(?:not|never)|n't)(?:\s(?:be|equal to|exactly|about))?\s?\Z", re.IGNORECASE)
_COMPARED = re.compile(r"(?:[<>≤≥≠]|[<>]=|!=|\\(?:[lg]eq?|neq?|[lg]t)(?![a-z]))\s?\Z")
# what makes another number of the one after it: "2 × 5 m", "√5 m", "½ 5 m"
_WORKED = re.compile(r"(?:[×*·÷√±∓¼½¾⅓⅔]|\\(?:sqrt|pm|mp|div)(?![a-z]))\s?\Z")
_CURRENCY = re.compile(rf"([{CURRENCIES}])\s?\Z")
# "**5 m**" is emphasis, "m**2" a power
_EMPHASIS = re.compile(r"(?<![\w)])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\w(])")
# another quantity before it: "5 m or 6 m", "5 m, 6 m"
_BESIDE = re.compile(
    r"\d\s?[^\W\d_°%/^·()\d²³]{0,12}[^\s\d,;]{0,12},?\s(?:or|and)(?:\s(?:maybe|perhaps|possibly))?\s?\Z", re.IGNORECASE
)
# "5 m, 6 m", "5 to 6 m", "5 m - 6 m"
_LISTED = re.compile(
    r"(?<![\w.,])[-+]?\d[\d.,]{0,20}(?<![.,])\s?(?P<unit>[^\W\d_°%][^\s\d,;]{0,20}|[°%])?"
    r"\s?(?:[,;/|–—-]|\b(?:to|through|vs\.?|versus)(?!\w)|[-=]?>|→)\s?\Z"
)
_LEAD_ALONE = re.compile(r"(?:.*[=≈:])?\s?")
_EDGES = " .,;:!*_`\"'"
_OPENING = re.compile(r"(?:[ ,;:!*_`\"']|\.{2,}|\.(?!\d))*")
"""Edges at the start, where a point before a digit is the number's own: ``.5``."""


def plain(text: str) -> str:
    """The text with blanks, ``^``, ``*``-free products ``·`` and ``×``, and parentheses for braces."""
    text = _THOUSANDS.sub(lambda number: _NO_DIGIT.sub("", number[0]), text)
    text = _SPACE.sub(" ", _WRAPPER.sub("", _GROUP.sub(r"\1", text)))
    text = _SIGN.sub(lambda sign: _SIGNS[sign[0]], text)
    text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = _SUPERSCRIPT.sub(lambda raised: "^" + raised[0].translate(_RAISED), text)
    return " ".join(text.replace("{", "(").replace("}", ")").split())


class NoQuantity(ValueError):
    """The text holds no number."""


class Refused(NoQuantity):
    """The text holds a quantity that it denies, or several."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and the unit that it counts; ``unit`` is the unit's text, empty where there is none."""

    number: Fraction
    unit: str
    scale: Expression

    @property
    def base(self) -> Fraction:
        """The number in base units."""
        return self.number * self.scale.factor + self.scale.offset


def measure(text: str) -> Measure:
    """The quantity that a text is or, where it is a sentence, its last one.

    Raises :class:`NoQuantity`, :class:`~verifiers.quantity.unit.UnknownUnit`,
    :class:`~verifiers.quantity.number.TooLarge`.
    """
    if len(text) > LONGEST:
        raise NoQuantity(f"a quantity is written in at most {LONGEST} characters")
    text = _OPENING.sub("", plain(_EMPHASIS.sub(r"\1", text)), count=1).rstrip(_EDGES)
    whole = _in_parts(text) or _in_words(text)
    if whole is not None:
        return whole
    lead = _LEAD.match(text)
    bare = text[lead.end() :] if lead else text
    failure: ValueError = NoQuantity("there is no number")
    for start in dict.fromkeys((len(text) - len(bare), *_starts(text))):
        try:
            found = _at(text, start)
            _check(text, start, found)
            return found
        except Refused:
            raise
        except (NoQuantity, UnknownUnit) as problem:
            # the first reading, of the whole text, says best what is wrong with it
            failure = failure if isinstance(failure, UnknownUnit) else problem
    raise failure


def _check(text: str, start: int, found: Measure) -> None:
    """Raises :class:`NoQuantity` where what stands before a quantity denies it, changes it, or is another beside it."""
    before = text[max(0, start - _REACH) : start]
    if _WORKED.search(before):
        raise Refused("the quantity is part of a product")
    if _DENIED.search(before):
        raise Refused("the quantity is denied")
    if _COMPARED.search(before) or is_excluded(text, start, len(text)):
        raise Refused("the quantity is only compared with")
    if _BESIDE.search(before) or _is_listed(before, found):
        raise Refused("there are several quantities")


def _is_listed(before: str, found: Measure) -> bool:
    """Whether a quantity of the same kind stands before it in a list or range; a bare number where the text begins."""
    listed = _LISTED.search(before)
    if listed is None:
        return False
    if not listed["unit"]:
        return _LEAD_ALONE.fullmatch(before, 0, listed.start()) is not None
    try:
        return expression(listed["unit"], unit).dimension == found.scale.dimension
    except UnknownUnit:
        return False


def _in_parts(text: str) -> Measure | None:
    """``3 h 30 min``, ``5 ft and 6 in``."""
    found = compound(text)
    return None if found is None else Measure(found[0], found[1], expression(found[1], unit))


def _in_words(text: str) -> Measure | None:
    """``five meters``."""
    head, _, last = text.rpartition(" ")
    number = parse_words(head) if head.isascii() and head[:1].isalpha() else None
    try:
        return None if number is None else Measure(number, last, expression(last, unit))
    except UnknownUnit:
        return None


def _starts(text: str) -> list[int]:
    """Where numbers begin, the last first."""
    return [found.start() for found in _START.finditer(text)][: -_TRIES - 1 : -1]


def _at(text: str, start: int) -> Measure:
    number = leading(text, start)
    if number is None:
        raise NoQuantity("there is no number")
    if text.startswith("!", number.end):
        raise NoQuantity("a factorial is no number of a unit")
    written = text[number.end :].strip(_EDGES)
    if (money := _CURRENCY.search(text, 0, start)) is not None:
        written = f"{money[1]} {written}".strip()
    return Measure(number.value, written, expression(written, unit))
