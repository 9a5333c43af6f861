r"""Groups in braces, and boxes: ``\boxed{...}``, ``\fbox {...}``, ``\boxed 5``. One pass, whatever the nesting."""

from __future__ import annotations

import re
from typing import NamedTuple

_STEP = re.compile(r"\\.|[{}]", re.DOTALL)
# a doubled backslash before the word is an escape of whoever wrote the text as JSON, not a line break
_BOX_OR_BRACE = re.compile(r"\\\\?(?:boxed|fbox)(?P<open>\s*\{)?|\\.|[{}]", re.DOTALL)
_BARE = re.compile(r"\s*(?:\\[{}]|[^\s{}$])+")


class Box(NamedTuple):
    """Positions: of the command, of the content's start and end, and after the box."""

    start: int
    inner: int
    inner_end: int
    end: int


def closing(text: str, start: int, limit: int) -> int | None:
    """The index of the ``}`` that matches the ``{`` at ``start``; None where none does before ``limit``.

    Escaped braces are text. Linear in ``limit - start``.
    """
    depth = 0
    for step in _STEP.finditer(text, start, limit):
        if step[0] == "{":
            depth += 1
        elif step[0] == "}":
            depth -= 1
            if depth == 0:
                return step.start()
    return None


def bare(text: str, after: int, limit: int) -> tuple[int, int] | None:
    r"""What a box without braces holds: the next word, with the groups that belong to it (``\frac{1}{2}``)."""
    word = _BARE.match(text, after, limit)
    if word is None:
        return None
    start = after + len(word[0]) - len(word[0].lstrip())
    end = word.end()
    while text.startswith("{", end) and end < limit:
        close = closing(text, end, limit)
        if close is None:
            break
        more = _BARE.match(text, close + 1, limit) if not text[close + 1 : close + 2].isspace() else None
        end = more.end() if more else close + 1
    while end > start + 1 and text[end - 1] in ".,;:!?":
        end -= 1
    return start, end


def boxes(text: str, begin: int, limit: int) -> list[Box]:
    """The closed boxes between two positions that stand in no other box, in order. Linear in ``limit - begin``."""
    found: list[Box] = []
    opened: list[tuple[int, int]] = []
    for step in _BOX_OR_BRACE.finditer(text, begin, limit):
        mark = step[0]
        if mark == "{":
            opened.append((-1, step.end()))
        elif mark == "}":
            start, inner = opened.pop() if opened else (-1, -1)
            if start >= 0:
                _add(found, Box(start, inner, step.start(), step.end()))
        elif "box" in mark:
            if step["open"]:
                opened.append((step.start(), step.end()))
            elif (span := bare(text, step.end(), min(limit, step.end() + 100))) is not None:
                _add(found, Box(step.start(), *span, span[1]))
    return found


def _add(found: list[Box], box: Box) -> None:
    while found and found[-1].start > box.start:
        found.pop()
    found.append(box)
