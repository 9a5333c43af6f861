"""Texts as words that can be compared: case, accents, articles, plurals and spellings of numbers are folded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from verifiers.marks import is_accent, mark_ranges

_ARTICLES = frozenset(("a", "an", "the"))
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TEN = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDER = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
_MONTH = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december"),
)
MONTHS = frozenset(_MONTH)
_SMALL = {word: number for number, word in enumerate(_UNITS)}
_TENS = {word: 10 * number for number, word in enumerate(_TEN, 2)}
_NUMBERS = frozenset((*_UNITS, *_TEN))
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {word: number for number, word in enumerate(_ORDER, 1)}
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
_SHORT_MONTHS = {name[:3]: name for name in _MONTH}
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"['’]s\b|['’]")
_ORDINAL = re.compile(r"(\d)(?:st|nd|rd|th)\b")
_CITED = re.compile(r"(?<=[^\W\d_]{3})\d{1,2}(?=[\s.,;:)]|$)|\[\d{1,3}\]|[\u2070-\u209f\u00b9\u00b2\u00b3]+")
_INITIALS = re.compile(r"\b((?:[a-z]\.\s?){2,})(?=\W|$|[a-z])")
_LEAST_PLURAL = 4
_MOST_GROWTH = 4
"""A syllable of Korean has three letters; a text of nothing but ligatures of phrases would grow 18 times as long."""


def words(text: str) -> list[str]:
    """The words of a text in order, without articles: numbers as digits, plurals as singulars. Linear."""
    text = _CITED.sub(" ", text).casefold()
    folded = unicodedata.normalize("NFKD", text)
    if len(folded) > _MOST_GROWTH * len(text):
        folded = unicodedata.normalize("NFD", text)
    plain = "".join(one for one in folded if not is_accent(one))
    plain = _INITIALS.sub(lambda found: re.sub(r"[.\s]", "", found[1]) + " ", plain)
    plain = _ORDINAL.sub(r"\1", _THOUSANDS.sub("", _POSSESSIVE.sub("", plain.replace("&", " and "))))
    word = _WORD if plain.isascii() else _word_of_any_script()
    return _numbers([found for found in word.findall(plain) if found not in _ARTICLES])


@cache
def _word_of_any_script() -> re.Pattern[str]:
    return re.compile(rf"\d+(?:\.\d+)?|[^\W\d_](?:[^\W\d_]|[{mark_ranges()}])*")


def _numbers(found: Sequence[str]) -> list[str]:
    """Runs of number words as one number, other words as their singular."""
    result: list[str] = []
    total = current = 0
    counting = False

    def close() -> None:
        nonlocal total, current, counting
        if counting:
            result.append(str(total + current))
        total, current, counting = 0, 0, False

    for place, word in enumerate(found):
        if word in _SMALL or word in _TENS:
            if counting and (current % 10 or (word in _TENS and current % 100)):
                close()
            current += _SMALL.get(word, 0) + _TENS.get(word, 0)
            counting = True
        elif word in _SCALES and (counting or (result and result[-1].replace(".", "", 1).isdigit())):
            if not counting:
                value = float(result.pop()) * _SCALES[word]
                result.append(f"{value:.0f}" if value.is_integer() else str(value))
            elif _SCALES[word] == 100:
                current *= 100
            else:
                total, current = total + current * _SCALES[word], 0
        elif word == "and" and current >= 100 and found[place + 1 : place + 2] and found[place + 1] in _NUMBERS:
            continue
        else:
            close()
            result.append(_plain(word))
    close()
    return result


def _plain(word: str) -> str:
    if word in _ORDINALS:
        return str(_ORDINALS[word])
    if word in _ROMAN:
        return _ROMAN[word]
    if word in _SHORT_MONTHS:
        return _SHORT_MONTHS[word]
    if word[0].isdigit():
        return word.rstrip("0").rstrip(".") if "." in word else (word.lstrip("0") or "0")
    return singular(word)


def singular(word: str) -> str:
    """The word without the ending of a plural, the same for both forms where that is regular."""
    if len(word) < _LEAST_PLURAL or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > _LEAST_PLURAL + 1:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1]


def place_of(part: Sequence[str], whole: Sequence[str], start: int = 0) -> int:
    """Where ``part`` stands in ``whole`` first, from ``start`` on; -1 where it does not."""
    first, length = part[0], len(part)
    at = start
    while True:
        try:
            at = whole.index(first, at, len(whole) - length + 1)
        except ValueError:
            return -1
        if list(whole[at : at + length]) == list(part):
            return at
        at += 1
