"""Days and times of day in the orders and spellings that cannot be misread (no 3/4/2024)."""

from __future__ import annotations

import random
from datetime import date, timedelta

from benchmarks.pairs.pair import Family


def draw_day(dice: random.Random) -> date:
    return date(1900, 1, 1) + timedelta(days=dice.randrange(50_000))


def month_first(value: date, dice: random.Random) -> str:
    return f"{value:%B} {value.day}, {value.year}"


def day_first(value: date, dice: random.Random) -> str:
    return f"{value.day} {value:%B} {value.year}"


def iso(value: date, dice: random.Random) -> str:
    return value.isoformat()


def ordinal(value: date, dice: random.Random) -> str:
    ending = "th" if 10 < value.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(value.day % 10, "th")
    return f"{value:%B} {value.day}{ending}, {value.year}"


def short_month(value: date, dice: random.Random) -> str:
    return f"{value:%b}{dice.choice(('', '.'))} {value.day}, {value.year}"


def with_weekday(value: date, dice: random.Random) -> str:
    return f"{value:%A}, {month_first(value, dice)}"


def year_first(value: date, dice: random.Random) -> str:
    return f"{value:%Y/%m/%d}"


def day_of_month(value: date, dice: random.Random) -> str:
    return f"the {ordinal(value, dice).split()[1].rstrip(',')} of {value:%B} {value.year}"


def text(value: date, dice: random.Random) -> str:
    return f"\\text{{{month_first(value, dice)}}}"


def day(value: date, dice: random.Random) -> date:
    return value + timedelta(days=dice.choice((-7, -1, 1, 10)))


def month(value: date, dice: random.Random) -> date:
    return value.replace(day=min(value.day, 28), month=value.month % 12 + 1)


def year(value: date, dice: random.Random) -> date:
    return value.replace(day=min(value.day, 28), year=value.year + dice.choice((-10, -1, 1)))


DAYS = Family(
    "dates",
    draw_day,
    references=(month_first, month_first, day_first, iso),
    answers=(month_first, day_first, iso, ordinal, short_month, with_weekday, year_first, day_of_month, text),
    changes=(day, month, year),
)


def draw_time(dice: random.Random) -> int:
    """Minutes since midnight."""
    return dice.choice((dice.randrange(60, 1440), 15 * dice.randrange(4, 96)))


def _clock(value: int) -> tuple[str, str]:
    hour, minute = divmod(value % 1440, 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02d}", "PM" if hour >= 12 else "AM"


def upper(value: int, dice: random.Random) -> str:
    return " ".join(_clock(value))


def dotted(value: int, dice: random.Random) -> str:
    digits, half = _clock(value)
    return f"{digits} {half[0].lower()}.m."


def lower(value: int, dice: random.Random) -> str:
    digits, half = _clock(value)
    return f"{digits}{dice.choice(('', ' '))}{half.lower()}"


def latex(value: int, dice: random.Random) -> str:
    digits, half = _clock(value)
    return dice.choice((f"{digits}\\text{{ {half}}}", f"\\text{{{digits} {half}}}", f"{digits}\\,\\text{{{half}}}"))


def whole_day(value: int, dice: random.Random) -> str | None:
    hour, minute = divmod(value % 1440, 60)
    return f"{hour}:{minute:02d}" if hour > 12 else None


def whole_hour(value: int, dice: random.Random) -> str | None:
    digits, half = _clock(value)
    return f"{digits[:-3]}{dice.choice((' ', ''))}{half}" if digits.endswith(":00") else None


def other_half(value: int, dice: random.Random) -> int:
    return (value + 720) % 1440


def minutes(value: int, dice: random.Random) -> int:
    return (value + dice.choice((-10, -1, 1, 5, 30))) % 1440


def hour(value: int, dice: random.Random) -> int:
    return (value + dice.choice((-60, 60))) % 1440


TIMES = Family(
    "times",
    draw_time,
    references=(upper, dotted, latex),
    answers=(upper, dotted, lower, latex, whole_hour, whole_day),
    changes=(other_half, minutes, hour),
)
