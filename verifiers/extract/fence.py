"""Fenced blocks of Markdown, as CommonMark has them: which there are, what they hold, where they stand.

Three or more backticks or tildes on a line of their own, or behind the mark of a list's item, open a block; at least as
many of the same close it. Any indentation will do, and is taken off the block's lines; but a fence that stands four
columns deeper than the one that opened the block, and deeper than some line of its text, is part of it: it is a
docstring's. Where the last block would stay open so, models are read as they write: any indentation closes it, else a
fence at the end of a line of its text. One that is never closed runs to the end of the text. Linear in the text's
length. Not covered: inline quotes, block quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>.*)")
_DEEPER = 4
"""Columns by which a fence is text of a block rather than its end."""


class Fenced(NamedTuple):
    """A fenced block: its text, what its fence says of it, and where it stands (characters, its fences included)."""

    text: str
    info: str
    start: int
    end: int
    closed: bool


def fences(text: str) -> list[Fenced]:
    """Every fenced block, in order."""
    found = _blocks(text)
    if not found or found[-1].closed:
        return found
    loosely = _blocks(text, anywhere=True)
    return loosely if loosely[-1].closed else _blocks(text, cut=True)


class _Open:
    """A block whose end is not found yet."""

    def __init__(self, fence: re.Match[str], start: int, end: int) -> None:
        self.mark = fence["mark"]
        self.start = start
        self.inside = end + 1
        self.lines: list[str] = []
        self._info = fence["info"].strip()
        self._indent = fence["indent"] + " " * len(fence["item"] or "")
        self._least = math.inf

    def add(self, line: str) -> None:
        """A line of its text."""
        self.lines.append(line)
        if line.strip():
            self._least = min(self._least, self._columns(line))

    def is_closed_by(self, fence: re.Match[str], *, anywhere: bool) -> bool:
        """``anywhere``: however deep the fence stands."""
        if fence["item"] or fence["info"].strip() or not fence["mark"].startswith(self.mark):
            return False
        return anywhere or self._columns(fence.string) < max(_DEEPER, self._least + 1)

    def _columns(self, line: str) -> int:
        """How much deeper than its own fence a line begins."""
        line = line.removeprefix(self._indent).expandtabs(4)
        return len(line) - len(line.lstrip(" "))

    def close(self, lines: Sequence[str], end: int, *, closed: bool) -> Fenced:
        """The block of these lines."""
        indent = self._indent
        if indent:
            width = len(indent)
            lines = [line[width:] if line.startswith(indent) else line.lstrip(" \t") for line in lines]
        return Fenced("\n".join(lines), self._info, self.start, end, closed)


def _blocks(text: str, *, anywhere: bool = False, cut: bool = False) -> list[Fenced]:
    """``anywhere``: a fence closes however deep it stands; ``cut``: the last block may end within a line."""
    found: list[Fenced] = []
    block: _Open | None = None
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        fence = _FENCE.fullmatch(line.rstrip("\r")) if "```" in line or "~~~" in line else None
        if block is None:
            if fence is not None and not (fence["mark"][0] == "`" and "`" in fence["info"]):
                block = _Open(fence, at, end)
        elif fence is not None and block.is_closed_by(fence, anywhere=anywhere):
            found.append(block.close(block.lines, end, closed=True))
            block = None
        else:
            block.add(line)
        at = end + 1
    if block is not None:
        lines, end = _within(block) if cut else (block.lines, len(text))
        found.append(block.close(lines, end, closed=lines is not block.lines))
    return found


def _within(block: _Open) -> tuple[list[str], int]:
    """The lines up to a fence at the end of one of them (``print(x)```), and where it ends; all where there is none."""
    at, mark = block.inside, block.mark
    for number, line in enumerate(block.lines):
        before = line.rstrip().removesuffix(mark)
        if before.strip() and before != line.rstrip() and mark[:3] not in before and before[-1] != mark[0]:
            return [*block.lines[:number], before], at + len(before) + len(mark)
        at += len(line) + 1
    return block.lines, at - 1
