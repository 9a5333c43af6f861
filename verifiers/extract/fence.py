"""Fenced blocks of Markdown, as CommonMark has them: which there are, what they hold, where they stand.

Three or more backticks or tildes on a line of their own, or behind the mark of a list's item, of a block quote or a tag
(``<answer>``), open a block; at least as many of the same close it, also before a closing tag. Any indentation will
do, and is taken off the block's lines; but a fence that stands four columns deeper than the one that opened the block,
and deeper than some line of its text, is part of it: it is a docstring's. A block in a quote ends with the quote. Where
the last block would stay open so, models are read as they write: any indentation closes it, else a fence at the end of
a line of its text; and where nothing stands in it, its fence was to close a block that began behind words (``The code:
```python``). One that is never closed runs to the end of the text. Linear in the text's length. Not covered: inline
quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

_FENCE = re.compile(
    r"(?P<quote>(?:[ \t]{0,3}>)*)(?P<indent>[ \t]*)(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+)?"
    r"(?P<tags>(?:<[A-Za-z][\w-]{0,30}>[ \t]*)*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>.*)"
)
_BEHIND_WORDS = re.compile(r"[^`~]*[\s:](?P<mark>`{3,}|~{3,})(?P<info>[A-Za-z][\w+#.-]{0,19})\s*")
_CLOSING_TAGS = re.compile(r"\s*(?:</[A-Za-z][\w-]{0,30}>\s*)*")
_LONGEST_TAG = 34
"""Characters of a closing tag."""

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
    if not found[-1].text.strip():
        behind = _blocks(text, behind_words=True)
        if behind[-1].closed and not any("```" in one.text or "~~~" in one.text for one in behind):
            return behind
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
        groups = fence.groupdict("")
        self._indent = groups.get("indent", "") + " " * len(groups.get("item", ""))
        self._quoted = groups.get("quote", "").count(">")
        self._least = math.inf

    def add(self, line: str) -> None:
        """A line of its text."""
        self.lines.append(line)
        if line.strip():
            self._least = min(self._least, self._columns(line))

    def unquote(self, line: str) -> str | None:
        """A line without the marks of the block quote that the block is in; None for one after the quote."""
        at = 0
        for _ in range(self._quoted):
            mark = line.find(">", at)
            if mark < 0 or line[at:mark].strip():
                return None
            at = mark + 1
        return line[at:]

    def is_closed_by(self, fence: re.Match[str], *, anywhere: bool) -> bool:
        """``anywhere``: however deep the fence stands."""
        if fence["quote"] or fence["item"] or fence["tags"] or not fence["mark"].startswith(self.mark):
            return False
        if not _CLOSING_TAGS.fullmatch(fence["info"]):
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


def _blocks(text: str, *, anywhere: bool = False, behind_words: bool = False, cut: bool = False) -> list[Fenced]:
    """The blocks.

    ``anywhere``: a fence closes however deep it stands; ``behind_words``: one opens at the end of a line of words too;
    ``cut``: the last block may end within a line.
    """
    found: list[Fenced] = []
    block: _Open | None = None
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        if block is not None:
            unquoted = block.unquote(line)
            if unquoted is None:
                found.append(block.close(block.lines, at - 1, closed=True))
                block = None
            else:
                line = unquoted
        fence = _FENCE.fullmatch(line.rstrip("\r")) if "```" in line or "~~~" in line else None
        if block is None:
            if fence is not None and _opens(fence):
                block = _Open(fence, at, end)
            elif behind_words and (begun := _BEHIND_WORDS.fullmatch(line)):
                block = _Open(begun, at, end)
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


def _opens(fence: re.Match[str]) -> bool:
    info: str = fence["info"]
    if fence["mark"][0] == "`" and "`" in info:
        return False
    return not info.strip() or not _CLOSING_TAGS.fullmatch(info)


def _within(block: _Open) -> tuple[list[str], int]:
    """The lines up to a fence at the end of one of them (``print(x)```), and where it ends; all where there is none."""
    at, mark = block.inside, block.mark
    for number, line in enumerate(block.lines):
        line = _without_tags(line)
        before = line.removesuffix(mark)
        if before.strip() and before != line and mark[:3] not in before and before[-1] != mark[0]:
            return [*block.lines[:number], before], at + len(before) + len(mark)
        at += len(block.lines[number]) + 1
    return block.lines, at - 1


def _without_tags(line: str) -> str:
    """A line without the closing tags at its end."""
    end = len(line.rstrip())
    while (at := line.rfind("</", max(0, end - _LONGEST_TAG), end)) >= 0 and _CLOSING_TAGS.fullmatch(line, at, end):
        end = at
        while end and line[end - 1].isspace():
            end -= 1
    return line[:end]
