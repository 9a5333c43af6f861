r"""A number or expression apart from what stands after it: unit, percent sign, base of a numeral.

A unit is read here and converted elsewhere; a side without a unit fits any. Words after
a number are a unit unless they change the number (``5 million``, ``3 quarters``) or deny it (``5 or less``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifiers.math.numeral import numeral

PERCENT = "percent"
BASE = "base "
"""A numeral's base as its unit: ``base 2``."""

_NOT_UNITS = re.compile(
    r"pi|e|i|or|and|not|no|nor|but|if|is|are|was|isn't|than|less|more|at|least|most|about|to|mod|plus|minus|"
    r"times|over|by|hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|tenths?|hundreds?|thousands?|[mbtr]+illions?|"
    r"dozens?|squared|cubed|factorial|choose|sin|cos|tan|log|ln|exp|sqrt|max|gcd|lcm|divided|multiplied|"
    r"remainder|approximately|roughly",
    re.IGNORECASE,
)
_SHORT_UNITS = frozenset("mgshLJNWVK")
_ALIASES = {
    name: symbol
    for symbol, names in {
        PERCENT: "% percent pct",
        "degree": "° deg degree",
        "m": "meter metre", "cm": "centimeter centimetre", "mm": "millimeter millimetre",
        "km": "kilometer kilometre", "g": "gram", "kg": "kilogram", "s": "second sec", "h": "hour hr",
        "min": "minute min", "in": "inch inche", "ft": "foot feet ft", "yd": "yard yd", "mile": "mile mi", "mph": "mph",
        "lb": "lb", "pound": "pound", "oz": "ounce oz", "mg": "milligram", "ton": "tonne", "dm": "decimeter decimetre",
        "day": "day", "week": "week", "month": "month", "year": "year yr", "£": "£ gbp",
        "dollar": "dollar usd buck", "cent": "cent ¢", "euro": "euro eur €", "yen": "yen ¥ jpy", "₹": "₹ rupee inr",
        "J": "joule", "N": "newton", "W": "watt", "V": "volt", "ohm": "\\Omega Ω ohm", "K": "kelvin",
        "Pa": "pascal", "Hz": "hertz",
        "L": "liter litre", "mL": "milliliter millilitre ml", "km/h": "kph km/hr", "radian": "rad radian",
    }.items()
    for name in names.split()
}  # fmt: skip
_ATTACHED = "cm|mm|km|kg|mg|ms|hr|hrs|min|ft|lb|lbs|oz|mL|ml|Hz|mph|km/h|m/s|cm/s|rad|pm|am|deg"
_TAIL = re.compile(
    r"(?P<sign>\s?[%°€£¥₹]|\s?\\Omega(?![A-Za-z])|\s?Ω)"
    r"|\s?(?P<text>\\text\{(?P<inside>[^{}]{0,60})\}(?P<raised>\s?\^\s?\{?[23]\}?)?)"
    rf"|(?<=\d)(?P<attached>(?:{_ATTACHED})(?:\^\{{?[23]\}}?)?)"
    r"|(?<=[\d})])(?P<words>(?:\s[A-Za-z][A-Za-z'/.-]{0,20}){1,3}(?:\^\{?[23]\}?)?)"
)
# digits that belong to a unit: m2, cm^{-3}, CO2, per 100 mL
_UNITS_DIGITS = re.compile(r"(?<=[^\W\d_])\^?\{?-?\d{1,2}\}?|(?:\bper |/ ?)\d+(?= ?[^\W\d_])")
_FUNCTION = re.compile(r"\\?(?:sin|cos|tan|cot|sec|csc|cis)")
_CURRENCY = re.compile(r"(?:\\text\s?\{\s?)?([€£¥₹]|USD|EUR|GBP|JPY|INR)\s?\}?\s?(?=[\d.])")
_QUOTIENT = re.compile(
    r"\\frac\{(?:\\text\{\s?)?(\w{1,12})\s?\}?\}\{\\text\{\s?(\w{1,12})\s?\}\}"
    r"|\\frac\{(?:\\text\{\s?)?(k?m|cm|mi|ft|g|kg|mg)\s?\}?\}\{(?:\\text\{\s?)?(s|h|hr|min|L|mL)\s?\}?\}\Z"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a text measures (``core``) and in what (``unit``, empty where nothing is said)."""

    core: str
    unit: str = ""


def quantity(text: str) -> Quantity:
    """Splits a plain text; where no unit is recognised, the whole text is the core."""
    if "_" in text or "base" in text or text[:1] == "0":
        found = numeral(text)
        if found is not None:
            return Quantity(found[0], f"{BASE}{found[1]}")
    if "\\frac" in text and text[:1].isdigit():
        text = _QUOTIENT.sub(lambda found: f"\\text{{{found[1] or found[3]}/{found[2] or found[4]}}}", text)
    money = _CURRENCY.match(text)
    if money is not None:
        return Quantity(text[money.end() :], symbol(money[1].strip()))
    if "\\dollar" in text:
        return Quantity(text.replace("\\dollar", "").strip(), "dollar")
    for tail in _TAIL.finditer(text, max(0, len(text) - 90)):
        if tail.end() == len(text) and tail.start() > 0:
            unit = _unit(tail)
            if unit == "degree" and _FUNCTION.search(text):
                continue
            if "," in text and tail[0].strip() in text[: tail.start()]:
                break  # each part of a list has its own: 30°, 150°
            if unit is not None:
                return Quantity(text[: tail.start()].rstrip(), unit)
    return Quantity(text)


def _unit(tail: re.Match[str]) -> str | None:
    if tail["sign"]:
        return symbol(tail["sign"])
    written = tail["inside"] + (tail["raised"] or "") if tail["text"] else tail["words"] or tail["attached"]
    words = written.replace("per cent", "percent").split()
    if any(character.isdigit() for character in _UNITS_DIGITS.sub("", written)):
        return None  # another number: 42\text{ 41}
    if any(_NOT_UNITS.fullmatch(word.strip(".")) for word in words):
        return None
    if tail["words"] and len(words[0]) < 2 and words[0] not in _SHORT_UNITS:
        return None
    return _in_powers([symbol(word) for word in words])


_ADJECTIVES = {"square": "^2", "sq": "^2", "cubic": "^3", "cu": "^3"}


def _in_powers(words: list[str]) -> str:
    """``square cm`` as ``cm^2``, ``m per s`` as ``m/s``."""
    if len(words) == 2 and words[0] in _ADJECTIVES:
        return words[1] + _ADJECTIVES[words[0]]
    if len(words) == 3 and words[1] == "per":
        return f"{words[0]}/{words[2]}"
    return " ".join(words)


def symbol(word: str) -> str:
    """The one name of a unit's many: ``meters`` is ``m``."""
    word = word.strip(" .").replace("{", "").replace("}", "").replace(" ", "")
    if word in _ALIASES:
        return _ALIASES[word]
    if len(word) <= 2:
        return word
    lowered = word.lower()
    singular = lowered[:-1] if lowered.endswith("s") and len(lowered) > 3 else lowered
    return _ALIASES.get(singular, _ALIASES.get(lowered, singular))
