"""Two texts side by side: lines that are in both, and those that are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from app.pages.recipes.views import SideRow

MOST_LINES = 2000
AROUND = 4
"""Equal lines that are shown before and after a change."""
_KINDS = {(True, True): "changed", (True, False): "removed", (False, True): "added"}
Numbered = tuple[int, str]


def side_by_side(before: str, after: str) -> list[SideRow]:
    """Nothing for texts of more than 2,000 lines."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        return []
    return list(_rows(old, new))


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[SideRow]:
    left, right = list(enumerate(old, 1)), list(enumerate(new, 1))
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (_row(*pair) for pair in zip_longest(left[a:b], right[c:d]))
            continue
        same = [
            SideRow(kind="same", before_line=number, before=text, after_line=other, after=text)
            for (number, text), (other, _) in zip(left[a:b], right[c:d], strict=True)
        ]
        yield from _shortened(same, first=a == 0, last=b == len(old))


def _row(left: Numbered | None, right: Numbered | None) -> SideRow:
    kind = _KINDS[left is not None, right is not None]
    (before_line, before), (after_line, after) = left or (None, None), right or (None, None)
    lines = {"before_line": before_line, "before": before, "after_line": after_line, "after": after}
    return SideRow.model_validate({"kind": kind, **lines})


def _shortened(same: list[SideRow], *, first: bool, last: bool) -> list[SideRow]:
    """What is far from every change is left out."""
    head, tail = (0 if first else AROUND), (0 if last else AROUND)
    if len(same) <= head + tail + 1:
        return same
    return [*same[:head], SideRow(kind="left_out"), *same[len(same) - tail :]]
