r"""Rewrites and mutations of sets, ``\{1, 2\}`` or ``{1, 2}``, and for the verifier ``sets`` of lists of texts.

Mutations only where all elements are numbers with different values, or different words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from pydantic import JsonValue

from audits.metamorphic import elements
from audits.metamorphic.amount import bare
from audits.metamorphic.transformation import Task, breaking, keeping
from audits.metamorphic.verifiers import MATH

_BRACES = re.compile(r"(?P<open>\\\{|\\left\\\{|\{)\s*(?P<inner>.+?)\s*(?P<close>\\\}|\\right\\\}|\})", re.DOTALL)
_ITEM = re.compile(r"[^\W_][\w .'-]{0,60}")
_JOINED = re.compile(r"(?i)\b(?:and|or|und|et|y)\b|&")


def set_reordered(task: Task, dice: Random) -> str | None:
    """The elements in another order."""
    found = _members(task)
    if found is None or len(found) < 2:
        return None
    order = list(found)
    while order == list(found):
        dice.shuffle(order)
    return _written(order)


def set_spacing(task: Task, dice: Random) -> str | None:
    """Without blanks after the commas."""
    found = _members(task)
    return f"\\{{{','.join(found)}\\}}" if found and not _could_group(found) else None


def set_repeated(task: Task, dice: Random) -> str | None:
    """An element twice, which is the same set."""
    found = _members(task)
    return _written([*found, found[0]]) if found else None


def set_element_dropped(task: Task, dice: Random) -> str | None:
    """One element less."""
    found = _distinct(task)
    return _written(_without_one(found, dice)) if found and len(found) > 1 else None


def set_element_added(task: Task, dice: Random) -> str | None:
    """One element more."""
    found = _distinct(task)
    return _written([*found, _other(found, dice)]) if found else None


def set_element_changed(task: Task, dice: Random) -> str | None:
    """Another element for one of them."""
    found = _distinct(task)
    return _written([*_without_one(found, dice), _other(found, dice)]) if found else None


def items_reordered(task: Task, dice: Random) -> str | None:
    """The items in another order."""
    found = _items(task)
    return ", ".join(reversed(found)) if found and len(found) > 1 else None


def items_as_bullets(task: Task, dice: Random) -> str | None:
    """The items as a list in Markdown, after a colon."""
    found = _items(task)
    if found is None or len(found) < 2 or "extract" in task.params:
        return None
    return "The answer is:\n\n" + "\n".join(f"- {item}" for item in found)


def items_as_json(task: Task, dice: Random) -> str | None:
    """The items as a JSON array."""
    found = _items(task)
    return json.dumps(found, ensure_ascii=False) if found else None


def items_with_and(task: Task, dice: Random) -> str | None:
    """The last item after "and"."""
    found = _items(task)
    return f"{', '.join(found[:-1])} and {found[-1]}" if found and len(found) > 1 else None


def item_dropped(task: Task, dice: Random) -> str | None:
    """One item less."""
    found = _items(task)
    return ", ".join(_without_one(found, dice)) if found and len(found) > 1 else None


def item_added(task: Task, dice: Random) -> str | None:
    """One item more."""
    found = _items(task)
    return ", ".join([*found, "something else"]) if found else None


def item_changed(task: Task, dice: Random) -> str | None:
    """Another item for one of them."""
    found = _items(task)
    return ", ".join([*_without_one(found, dice), "something else"]) if found and len(found) > 1 else None


def _members(task: Task) -> list[str] | None:
    found = _BRACES.fullmatch(bare(task.text))
    if found is None or ("\\" in found["open"]) != ("\\" in found["close"]):
        return None
    inner = found["inner"].removesuffix("\\right")
    # what holds a condition or a range is no list of elements
    if any(mark in inner for mark in ("\\mid", "|", ":", "\\ldots", "\\dots", "...", "=", "<", ">", "\\in", "\\text")):
        return None
    return elements.split(inner)


def _distinct(task: Task) -> list[str] | None:
    found = _members(task)
    known = elements.values(found) if found else None
    return found if known and len(set(known)) == len(known) else None


def _items(task: Task) -> list[str] | None:
    """Different words without a separator, a joining word or a list's mark in them."""
    found = _listed(task.sample.reference)
    if found is None or not all(_ITEM.fullmatch(item) and not _JOINED.search(item) for item in found):
        return None
    return found if len({item.casefold().strip(" .'-") for item in found}) == len(found) else None


def _listed(reference: JsonValue) -> list[str] | None:
    if isinstance(reference, str):
        return [item.strip() for item in reference.split(",")]
    if isinstance(reference, list) and all(isinstance(item, str | int) for item in reference):
        return [str(item).strip() for item in reference]
    return None


def _written(members: Sequence[str]) -> str:
    return f"\\{{{', '.join(members)}\\}}"


def _could_group(members: Sequence[str]) -> bool:
    """Whether a comma between two of them could be a thousands separator."""
    return any(left[-1:].isdigit() and right[:3].isdigit() and len(right) >= 3 for left, right in pairwise(members))


def _without_one(found: Sequence[str], dice: Random) -> list[str]:
    place = dice.randrange(len(found))
    return [*found[:place], *found[place + 1 :]]


def _other(found: Sequence[str], dice: Random) -> str:
    """An integer that is no element yet."""
    known = elements.values(found) or []
    most = max(int(abs(each)) for each in known) + 2
    return str(dice.choice([each for each in range(most, most + 5) if each not in known]))


SETS = (
    *keeping(MATH, set_reordered, set_spacing, set_repeated),
    *breaking(MATH, set_element_dropped, set_element_added, set_element_changed),
)
ITEMS = (
    *keeping(frozenset({"sets"}), items_reordered, items_as_json, items_with_and),
    *keeping(frozenset({"sets"}), items_as_bullets, whole=True),
    *breaking(frozenset({"sets"}), item_dropped, item_added, item_changed),
)
