"""Numbers in English words: ``three halves``, ``twenty-one``, ``two and a half``, ``5 million``, ``minus six``.

Every word must belong to the number: a text with any other word is none. Ordinals count as parts only after a
number (``two thirds``), so ``third`` alone stays a word.
"""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: number for number, word in enumerate(_ONES)}
_SMALL |= {word: 20 + 10 * place for place, word in enumerate(_TENS)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_SCALES |= {"mn": 10**6, "mio": 10**6, "mln": 10**6, "bn": 10**9, "mrd": 10**9, "lakh": 10**5, "crore": 10**7}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
    "sixteenth": 16, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60,
    "hundredth": 100, "thousandth": 1000, "millionth": 10**6,
}  # fmt: skip
_PARTS |= {f"{word}s": number for word, number in _PARTS.items() if number > 2}
_DIGITS = re.compile(r"\d{1,15}(?:\.\d{1,15})?", re.ASCII)
_SPLIT = re.compile(r"\s+|(?<=\w)-(?=[a-z])")  # not before digits: "minus -15" is no -15
_ATTACHED = re.compile(r"(?<=\d)(?=(?:bn|mn|mio|mln|mrd)\b)")
NUMBER_WORDS = frozenset(
    (*_SMALL, *_SCALES, *(f"{scale}s" for scale in _SCALES), *_PARTS, "hundred", "hundreds", "couple")
)
"""Words that are numbers, multiply them, or are parts of one."""
_KNOWN = frozenset((*_SMALL, *_SCALES, *_PARTS, "hundred", "hundreds", "and", "a", "an", "minus", "negative"))
MOST_WORDS = 20


def parse_words(text: str) -> Fraction | None:
    """The number that a text of words is, or None."""
    if len(text) > 200 or not any(character.isalpha() for character in text):
        return None
    if "\\text{" in text:
        text = text.replace("\\text{", " ").replace("}", " ")
    text = _ATTACHED.sub(" ", text.lower().replace(",", " ").strip(" ."))
    text = f"minus {text[1:]}" if text.startswith("-") else text
    words = [word for word in _SPLIT.split(text) if word]
    if not 1 <= len(words) <= MOST_WORDS or not all(word in _KNOWN or _DIGITS.fullmatch(word) for word in words):
        return None
    sign = -1 if words[0] in ("minus", "negative") else 1
    value = _sum(words[1:] if sign < 0 else words)
    return None if value is None else sign * value


def _sum(words: list[str]) -> Fraction | None:
    """A whole number, a part (``two thirds``), or both joined by ``and``."""
    if not words or (words[0] in ("a", "an") and len(words) == 1):
        return None
    if words[-1] not in _PARTS:
        return _whole(words)
    for place in range(len(words) - 1, 0, -1):
        if words[place] == "and":
            whole, part = _whole(words[:place]), _part(words[place + 1 :])
            if whole is not None and part is not None and part < 1:
                return whole + part
    return _part(words)


def _part(words: list[str]) -> Fraction | None:
    count = _whole(words[:-1])
    if count is None and words == ["half"]:
        count = Fraction(1)
    return None if count is None else count / _PARTS[words[-1]]


def _whole(words: list[str]) -> Fraction | None:
    total = current = Fraction(0)
    lowest = 0
    seen = False
    for place, word in enumerate(words):
        if word == "and":
            if not seen or place == len(words) - 1:
                return None
            continue
        if word in ("a", "an"):
            if seen:
                return None
            current, lowest = Fraction(1), 1
        elif word in ("hundred", "hundreds"):
            if not 0 < current < 100:
                return None
            current, lowest = current * 100, 100
        elif word in _SCALES:
            if not seen:
                return None
            total, current, lowest = total + current * _SCALES[word], Fraction(0), 0
        elif word in _SMALL:
            number = _SMALL[word]
            if (lowest and (number >= lowest or (lowest < 100 and number > 9))) or (lowest and lowest < 20):
                return None
            current, lowest = current + number, max(number, 1)
        elif not seen and word not in _PARTS:
            current, lowest = Fraction(word), 1
        else:
            return None
        seen = True
    return total + current if seen else None
