"""Rewrites and mutations of tuples and points, ``(1, -2, 3)``, and of bare lists, ``1, 2``, which have no order."""

from __future__ import annotations

import re
from random import Random

from audits.metamorphic import elements
from audits.metamorphic.amount import bare
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH

_TUPLE = re.compile(r"(?:\\left)?\((?P<inner>.+?)(?:\\right)?\)", re.DOTALL)


def tuple_spacing(task: Task, dice: Random) -> str | None:
    r"""Other blanks after the commas: (1, 2) as (1,\ 2)."""
    found = _entries(task)
    return f"({f',{chr(92)} '.join(found)})" if found else None


def tuple_swapped(task: Task, dice: Random) -> str | None:
    """Two different entries change places: (1, 2) as (2, 1)."""
    found = _entries(task)
    known = elements.values(found) if found else None
    if not found or not known:
        return None
    places = [place for place in range(len(known) - 1) if known[place] != known[place + 1]]
    if not places:
        return None
    at = dice.choice(places)
    return _written([*found[:at], found[at + 1], found[at], *found[at + 2 :]])


def tuple_entry_dropped(task: Task, dice: Random) -> str | None:
    """One entry less, of three or more: (1, 2, 3) as (1, 2)."""
    found = _entries(task)
    return _written(found[:-1]) if found and len(found) > 2 and elements.values(found) else None


def tuple_entry_doubled(task: Task, dice: Random) -> str | None:
    """The last entry twice: (1, 2) as (1, 2, 2)."""
    found = _entries(task)
    return _written([*found, found[-1]]) if found and elements.values(found) else None


def tuple_entry_changed(task: Task, dice: Random) -> str | None:
    """Another entry: (1, 2) as (1, 5)."""
    found = _entries(task)
    known = elements.values(found) if found else None
    if not found or not known:
        return None
    at = dice.randrange(len(found))
    other = int(max(map(abs, known))) + dice.randrange(2, 9)
    return _written([*found[:at], str(other), *found[at + 1 :]])


def list_reordered(task: Task, dice: Random) -> str | None:
    """A bare list the other way round: 1, 2 as 2, 1."""
    found = _listed(task)
    return ", ".join(reversed(found)) if found and found != found[::-1] else None


def list_as_set(task: Task, dice: Random) -> str | None:
    r"""A bare list of different numbers in braces: 1, 2 as \{1, 2\}."""
    found = _listed(task)
    return f"\\{{{', '.join(found)}\\}}" if found else None


def list_with_and(task: Task, dice: Random) -> str | None:
    r"""Two numbers with a word between: 1, 2 as 1 \text{ and } 2."""
    found = _listed(task)
    return rf"{found[0]} \text{{ and }} {found[1]}" if found and len(found) == 2 else None


def list_part_dropped(task: Task, dice: Random) -> str | None:
    """One number less: 1, 2 as 1."""
    found = _listed(task)
    return ", ".join(found[:-1]) if found else None


def list_part_added(task: Task, dice: Random) -> str | None:
    """One number more: 1, 2 as 1, 2, 9."""
    found = _listed(task)
    known = elements.values(found) if found else None
    if not found or not known:
        return None
    return ", ".join([*found, str(int(max(map(abs, known))) + dice.randrange(2, 9))])


def _entries(task: Task) -> list[str] | None:
    found = _TUPLE.fullmatch(bare(task.text))
    entries = elements.split(found["inner"]) if found else None
    return entries if entries and len(entries) > 1 else None


def _listed(task: Task) -> list[str] | None:
    """Numbers with different values after one another."""
    found = elements.split(task.text.strip())
    known = elements.values(found) if found and len(found) > 1 else None
    return found if known and len(set(known)) == len(known) else None


def _written(entries: list[str]) -> str:
    return f"({', '.join(entries)})"


TUPLES = (
    *keeping(MATH, tuple_spacing, list_reordered, list_as_set, list_with_and),
    *breaking(MATH, tuple_swapped, tuple_entry_dropped, tuple_entry_doubled, tuple_entry_changed),
    *breaking(MATH, list_part_dropped, list_part_added),
)
