"""What a part of the benchmark is: a file of material, the items made of it, and who is asked.

A further part is a module with a :class:`Part` of the name ``PART`` and its line in :data:`PARTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from benchmarks.contest import Case

Row = Mapping[str, Any]
"""A line of the material's file: JSON, as its authors wrote it."""


@dataclass(frozen=True, slots=True)
class Item:
    """A case and whether it is right; ``family`` says what was done to make it, or where it is from."""

    family: str
    right: bool
    case: Case


@dataclass(frozen=True, slots=True)
class Part:
    """``items`` takes the rows and how many of them are enough (None: all); ``contestants`` are judges by name.

    Ours is the first of the contestants. Each is a ``module:function`` of :mod:`benchmarks.contest`.
    """

    name: str
    file: str
    labels: str
    items: Callable[[Sequence[Row]], list[Item]]
    contestants: Mapping[str, str]


PARTS = {
    "math": "benchmarks.natural.math",
    "open_questions": "benchmarks.natural.open_questions",
    "choice": "benchmarks.natural.choice",
    "tool_call": "benchmarks.natural.tool_call",
    "instructions": "benchmarks.natural.instructions",
}
"""The module of each part."""


def part(name: str) -> Part:
    found = import_module(PARTS[name]).PART
    assert isinstance(found, Part)
    return found
