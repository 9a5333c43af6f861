r"""What joins the parts of an answer counts: commas, semicolons, "or", "and", brackets and braces.

Mutations say another thing with the same numbers: ``[3, 7]`` as ``3, 7``, ``10; 5`` as ``5; 10``, ``3, 5`` as ``3.5``.
"""

from __future__ import annotations

import re
from random import Random

from audits.metamorphic.amount import read_number
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH, VALUES

_TWO = re.compile(r"(?P<first>-?\d{1,9}), ?(?P<second>\d{1,2}|\d{4,9})")
_CLOSED = re.compile(r"\[ ?(?P<low>-?\d{1,9}) ?, ?(?P<high>-?\d{1,9}) ?[\])]")
_RAY = re.compile(r"(?P<left>[(\[]) ?(?P<low>-?\d{1,9}|-\\infty) ?, ?(?P<high>\\infty|-?\d{1,9}) ?(?P<right>[)\]])")
_BLANKS = re.compile(r"(?P<first>-?\d{1,9}) ?; ?(?P<second>-?\d{1,9})")
_SET = re.compile(r"\\\{ ?(?P<parts>-?\d{1,9}(?: ?, ?-?\d{1,9}){0,8}) ?\\\}")
_OUTSIDE = re.compile(r"\(-\\infty, ?(?P<low>-?\d{1,9})\) ?\\cup ?\((?P<high>-?\d{1,9}), ?\\infty\)")
_BETWEEN = re.compile(r"\((?P<low>-?\d{1,9}), ?(?P<high>-?\d{1,9})\)")
_SIGNS = re.compile(r"\( ?\\pm ?(?P<first>\d{1,9}) ?, ?(?P<second>-?\d{1,9}) ?\)")
_COUNTED = re.compile(r"(?P<number>\d{1,9}) (?P<noun>[a-z]{4,20})")
_CLOCK = re.compile(r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?) ?(?P<half>[ap])\.?m\.?")
_PARTS = ("twelfths", "eighths", "sevenths", "bn", "thousand", "below zero", "hundredths")


def list_as_decimal(task: Task, dice: Random) -> str | None:
    """Two numbers as one: 3, 5 as 3.5."""
    found = _TWO.fullmatch(task.text.strip())
    return f"{found['first']}.{found['second']}" if found and not task.params.get("decimal_comma") else None


def interval_as_list(task: Task, dice: Random) -> str | None:
    """Its ends alone: [3, 7] as 3, 7."""
    found = _CLOSED.fullmatch(task.text.strip())
    return f"{found['low']}, {found['high']}" if found else None


def infinity_closed(task: Task, dice: Random) -> str | None:
    r"""Infinity as a member: [1, \infty) as [1, \infty]."""
    text = task.text.strip()
    if _RAY.fullmatch(text) is None or "\\infty" not in text:
        return None
    return re.sub(r"\\infty ?\)\Z", r"\\infty]", re.sub(r"\A\( ?-\\infty", r"[-\\infty", text))


def blanks_swapped(task: Task, dice: Random) -> str | None:
    """The answers to two blanks in the other order: 10; 5 as 5; 10."""
    found = _BLANKS.fullmatch(task.text.strip())
    return f"{found['second']}; {found['first']}" if found and found["first"] != found["second"] else None


def set_of_sets(task: Task, dice: Random) -> str | None:
    r"""Each element as a set of its own: \{1, 2\} as \{\{1\}, \{2\}\}."""
    found = _SET.fullmatch(task.text.strip())
    if found is None:
        return None
    return "\\{" + ", ".join(f"\\{{{part.strip()}\\}}" for part in found["parts"].split(",")) + "\\}"


def union_as_and(task: Task, dice: Random) -> str | None:
    r"""Both at once, which nothing is: (-\infty, 1) \cup (2, \infty) as x < 1 and x > 2."""
    found = _OUTSIDE.fullmatch(task.text.strip())
    if found is None or int(found["low"]) > int(found["high"]):
        return None
    return f"x < {found['low']} \\text{{ and }} x > {found['high']}"


def interval_as_or(task: Task, dice: Random) -> str | None:
    """Either bound, which everything meets: (1, 2) as x > 1 or x < 2."""
    found = _BETWEEN.fullmatch(task.text.strip())
    if found is None or int(found["low"]) >= int(found["high"]):
        return None
    return f"x > {found['low']} \\text{{ or }} x < {found['high']}"


def number_word_added(task: Task, dice: Random) -> str | None:
    """A word that changes the number: 7 as 7 twelfths."""
    text = task.text.strip()
    number = read_number(text) if text.isdigit() else None
    word = dice.choice(_PARTS)
    return f"{text} \\text{{ {word} }}" if number is not None and number.value else None


def half_of_day_changed(task: Task, dice: Random) -> str | None:
    """Twelve hours later: 9:03 a.m. as 9:03 p.m."""
    found = _CLOCK.fullmatch(task.text.strip())
    return f"{found['time']} {'p' if found['half'] == 'a' else 'a'}.m." if found else None


def noun_in_brackets(task: Task, dice: Random) -> str | None:
    """What is counted behind it: 15 balls as 15 (balls)."""
    found = _COUNTED.fullmatch(task.text.strip())
    return f"{found['number']} ({found['noun']})" if found and found["noun"].endswith("s") else None


def signs_written_out(task: Task, dice: Random) -> str | None:
    r"""Both points: (\pm 2, 0) as (2, 0), (-2, 0)."""
    found = _SIGNS.fullmatch(task.text.strip())
    return f"({found['first']}, {found['second']}), (-{found['first']}, {found['second']})" if found else None


JOINS = (
    *breaking(MATH, list_as_decimal, interval_as_list, infinity_closed, blanks_swapped, set_of_sets),
    *breaking(MATH, union_as_and, interval_as_or, half_of_day_changed),
    *breaking(VALUES, number_word_added),
    *keeping(MATH, noun_in_brackets, signs_written_out),
)
