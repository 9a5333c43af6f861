"""Dates and times of day: ``July 4, 1776``, ``4 July 1776``, ``1776-07-04``; ``5:30 PM``, ``17:30``.

A time without its half of the day fits both. Dates of digits with the year last are read month first where both
orders would do (``04/05/2020`` is April 5), else as they can be. Not covered: time zones, durations.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|" + "|".join(_MONTHS) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?:,?\s(?P<year>\d{3,4}))?"
# as German, French, Spanish, Italian, Portuguese and Dutch begin them, where English does not
_ABROAD = {
    "januar": 1, "janvier": 1, "enero": 1, "gennaio": 1, "janeiro": 1, "januari": 1,
    "februar": 2, "février": 2, "febrero": 2, "febbraio": 2, "fevereiro": 2, "februari": 2,
    "märz": 3, "mars": 3, "marzo": 3, "março": 3, "maart": 3, "avril": 4, "abril": 4, "aprile": 4,
    "mai": 5, "mayo": 5, "maggio": 5, "maio": 5, "mei": 5, "juni": 6, "juin": 6, "junio": 6, "giugno": 6, "junho": 6,
    "juli": 7, "juillet": 7, "julio": 7, "luglio": 7, "julho": 7, "août": 8, "agosto": 8, "augustus": 8,
    "septembre": 9, "septiembre": 9, "settembre": 9, "setembro": 9, "oktober": 10, "octobre": 10, "octubre": 10,
    "ottobre": 10, "outubro": 10, "novembre": 11, "noviembre": 11, "novembro": 11,
    "dezember": 12, "décembre": 12, "diciembre": 12, "dicembre": 12, "dezembro": 12,
}  # fmt: skip
_FOREIGN = re.compile(
    rf"(?P<day>\d{{1,2}})(?:\.|er|º|°)?\s(?:de\s)?(?P<name>{'|'.join(_ABROAD)})(?:(?:,|\sde)?\s(?P<year>\d{{3,4}}))?",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"(?:(?P<year>\d{3,4})\s?[年년]\s?)?(?P<number>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日号號일]")
_DATES = (
    re.compile(r"(?P<year>\d{4})([-/.])(?P<number>\d{1,2})\2(?P<day>\d{1,2})", re.ASCII),
    re.compile(r"(?P<first>\d{1,2})([-/.])(?P<second>\d{1,2})\2(?P<year>[12]\d{3})", re.ASCII),
    re.compile(rf"{_MONTH}\s{_DAY}{_YEAR}", re.ASCII | re.IGNORECASE),
    re.compile(rf"(?:the\s)?{_DAY}\s(?:of\s)?{_MONTH}{_YEAR}", re.ASCII | re.IGNORECASE),
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2})(?::(?P<second>\d{2}))?)?\s?(?P<half>[ap]\.?\s?m)?\.?",
    re.ASCII | re.IGNORECASE,
)
_LIKELY = re.compile(r"\d\s?[月월]|\d:\d\d|\d[-/.]\d\d?[-/.]\d|[a-zéûäç]{3}|\d\s?[ap]\.?\s?m", re.ASCII | re.IGNORECASE)
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_WEEKDAY = re.compile(rf"(?:on\s)?(?P<name>{'|'.join(_WEEKDAYS)})day,?\s", re.IGNORECASE)
_TEXT = re.compile(r"\\text\s?\{([^{}]*)\}")
LONGEST = 60


class Moment(NamedTuple):
    """``day`` is (year or 0, month, day); ``minute`` counts from noon or midnight, ``half`` is a, p or empty."""

    day: tuple[int, int, int] | None = None
    minute: int = 0
    half: str = ""
    second: int = 0


_NAMED = {"noon": Moment(None, 0, "p"), "midnight": Moment(None, 0, "a")}


def moment(text: str) -> Moment | None:
    """The date or time that a plain text is, as a whole, or None."""
    if len(text) > LONGEST or not _LIKELY.search(text):
        return None
    text = " ".join(_TEXT.sub(r" \1", text).split()).strip(" .")
    weekday = _WEEKDAY.match(text)
    if weekday is not None:
        return _on(_WEEKDAYS.index(weekday["name"].lower()), moment(text[weekday.end() :]))
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    for pattern in _DATES:
        found = pattern.fullmatch(text)
        if found is not None:
            return _date(found)
    if not text[-1:].isdigit() or not text.isascii() or " " in text:
        found = _CHINESE.fullmatch(text) or _FOREIGN.fullmatch(text)
        if found is not None:
            return _date(found)
    found = _TIME.fullmatch(text)
    if found is None or not (found["half"] or (found["minute"] and ":" in text)):
        return None
    if int(found["second"] or 0) and not found["half"]:
        return None  # a ratio of three as well
    return _time(found)


def _on(weekday: int, found: Moment | None) -> Moment | None:
    """The date, if it is on that weekday, or has no year that tells."""
    if found is None or found.day is None or not found.day[0]:
        return found
    try:
        return found if date(*found.day).weekday() == weekday else None
    except ValueError:
        return None


def _date(found: re.Match[str]) -> Moment | None:
    parts = found.groupdict()
    name = (parts.get("month") or "").lower()[:3]
    if parts.get("name"):
        parts["number"] = str(_ABROAD[parts["name"].lower()])
    if parts.get("first"):
        month, day = int(parts["first"]), int(parts["second"])
        if month > 12:
            month, day = day, month
    else:
        month = int(parts["number"]) if parts.get("number") else [full[:3] for full in _MONTHS].index(name) + 1
        day = int(parts["day"])
    return Moment((int(parts["year"] or 0), month, day)) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _time(found: re.Match[str]) -> Moment | None:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "")[:1].lower()
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if hour > 12 or hour == 0:
        half = "p" if 12 < hour < 24 else "a"
    return Moment(None, hour % 12 * 60 + minute, half, int(found["second"] or 0))


def same(answer: Moment, reference: Moment, *, years: bool = False) -> bool:
    """Without ``years`` a date that has no year fits any."""
    if answer.day is None or reference.day is None:
        halves = answer.half == reference.half or not (answer.half and reference.half)
        return (
            answer.day == reference.day
            and (answer.minute, answer.second) == (reference.minute, reference.second)
            and halves
        )
    if years and reference.day[0] and not answer.day[0]:
        return False
    same_year = answer.day[0] == reference.day[0] or not (answer.day[0] and reference.day[0])
    return same_year and answer.day[1:] == reference.day[1:]
