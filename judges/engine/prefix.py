"""How sequences stand in one row: members of a group share their prompt, whose tokens are computed once.

A row is made of segments. A segment without a parent sees itself alone, from place 0; one with a parent goes on where
that ends, and sees the parent's tokens before its own. What a member reads of its prompt is read of the shared one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from judges.engine.work import Work

LEAST_SAVED = 32
"""Tokens that sharing must save: splitting a sequence in two costs something too."""

ALONE = -1


@dataclass(frozen=True, slots=True)
class Layout:
    """``ids`` and ``places`` (positions in their own sequence) of the row's tokens; of each segment its length and the
    index of its parent, or :data:`ALONE`; ``reads`` are positions in the row, those of the works in order."""

    ids: list[int]
    places: list[int]
    lengths: tuple[int, ...]
    parents: tuple[int, ...]
    reads: list[int]


def lay_out(works: Sequence[Work]) -> Layout:
    """The row of these sequences; an empty list gives an empty row."""
    row = _Row()
    groups = _groups(works)
    begins: list[tuple[int, int, int]] = [(0, 0, 0)] * len(works)
    for members in groups:
        first = works[members[0]]
        shared = first.shared if len(members) > 1 else 0
        head, parent = row.add(first.ids[:shared], 0, ALONE) if shared else (0, ALONE)
        for member in members:
            begin, _ = row.add(works[member].ids[shared:], shared, parent)
            begins[member] = (shared, head, begin)
    reads = [
        (head if n < shared else begin - shared) + n
        for work, (shared, head, begin) in zip(works, begins, strict=True)
        for n in work.read.positions
    ]
    return Layout(row.ids, row.places, tuple(row.lengths), tuple(row.parents), reads)


def _groups(works: Sequence[Work]) -> list[list[int]]:
    """Positions of the works that share a prompt worth sharing, in order of their first; others stand alone."""
    prompts: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, work in enumerate(works):
        prompts[work.ids[: work.shared]].append(place)
    found = []
    for prompt, members in prompts.items():
        if (len(members) - 1) * len(prompt) >= LEAST_SAVED:
            found.append(members)
        else:
            found += [[member] for member in members]
    return found


class _Row:
    def __init__(self) -> None:
        self.ids: list[int] = []
        self.places: list[int] = []
        self.lengths: list[int] = []
        self.parents: list[int] = []

    def add(self, ids: Sequence[int], first: int, parent: int) -> tuple[int, int]:
        """Where the segment begins in the row, and its index; of no tokens it is none."""
        begin = len(self.ids)
        if ids:
            self.ids += ids
            self.places += range(first, first + len(ids))
            self.lengths.append(len(ids))
            self.parents.append(parent)
        return begin, len(self.lengths) - 1
