"""Dates and times of day: ``July 4, 1776``, ``4 July 1776``, ``1776-07-04``; ``5:30 PM``, ``17:30``.

A time without its half of the day fits both. Dates of digits with the year last are read month first where both
orders would do (``04/05/2020`` is April 5), else as they can be. Not covered: time zones, durations.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|" + "|".join(_MONTHS) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s(?P<year>\d{3,4}))?"
_DATES = (
    re.compile(r"(?P<year>\d{4})([-/.])(?P<number>\d{2})\2(?P<day>\d{2})", re.ASCII),
    re.compile(r"(?P<first>\d{1,2})([-/.])(?P<second>\d{1,2})\2(?P<year>[12]\d{3})", re.ASCII),
    re.compile(rf"{_MONTH}\s{_DAY}{_YEAR}", re.ASCII | re.IGNORECASE),
    re.compile(rf"(?:the\s)?{_DAY}\s(?:of\s)?{_MONTH}{_YEAR}", re.ASCII | re.IGNORECASE),
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2})(?::(?P<second>\d{2}))?)?\s?(?P<half>[ap]\.?\s?m)?\.?",
    re.ASCII | re.IGNORECASE,
)
_LIKELY = re.compile(r"\d:\d\d|\d[-/.]\d\d?[-/.]\d|[a-z]{3}|\d\s?[ap]\.?\s?m", re.ASCII | re.IGNORECASE)
_WEEKDAY = re.compile(r"(?:on\s)?(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s", re.IGNORECASE)
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
    text = _WEEKDAY.sub("", " ".join(_TEXT.sub(r" \1", text).split()).strip(" ."))
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    for pattern in _DATES:
        found = pattern.fullmatch(text)
        if found is not None:
            return _date(found)
    found = _TIME.fullmatch(text)
    if found is None or not (found["half"] or (found["minute"] and ":" in text)):
        return None
    if int(found["second"] or 0) and not found["half"]:
        return None  # a ratio of three as well
    return _time(found)


def _date(found: re.Match[str]) -> Moment | None:
    parts = found.groupdict()
    name = (parts.get("month") or "").lower()[:3]
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


def same(answer: Moment, reference: Moment) -> bool:
    if answer.day is None or reference.day is None:
        halves = answer.half == reference.half or not (answer.half and reference.half)
        return (
            answer.day == reference.day
            and (answer.minute, answer.second) == (reference.minute, reference.second)
            and halves
        )
    years = answer.day[0] == reference.day[0] or not (answer.day[0] and reference.day[0])
    return years and answer.day[1:] == reference.day[1:]
