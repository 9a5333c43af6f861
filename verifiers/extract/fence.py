"""Fenced blocks of Markdown, as CommonMark has them: which there are, what they hold, where they stand.

Three or more backticks or tildes on a line of their own open a block, at least as many of the same close it. Any
indentation will do, and is taken off the block's lines. A last fence that is never closed runs to the end of the text.
Linear in the text's length. Not covered: inline quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>.*)")


class Fenced(NamedTuple):
    """A fenced block: its text, what its fence says of it, and where it stands (characters, its fences included)."""

    text: str
    info: str
    start: int
    end: int
    closed: bool


def fences(text: str) -> list[Fenced]:
    """Every fenced block, in order."""
    found: list[Fenced] = []
    opened: re.Match[str] | None = None
    lines: list[str] = []
    start = at = 0
    for line in text.split("\n"):
        end = at + len(line)
        fence = _FENCE.fullmatch(line.rstrip("\r")) if "```" in line or "~~~" in line else None
        if opened is None:
            if fence is not None and not (fence["mark"][0] == "`" and "`" in fence["info"]):
                opened, lines, start = fence, [], at
        elif fence is not None and _closes(fence, opened):
            found.append(_fenced(opened, lines, start, end, closed=True))
            opened = None
        else:
            lines.append(line)
        at = end + 1
    if opened is not None:
        found.append(_fenced(opened, lines, start, len(text), closed=False))
    return found


def _closes(fence: re.Match[str], opened: re.Match[str]) -> bool:
    return fence["mark"].startswith(opened["mark"]) and not fence["info"].strip()


def _fenced(opened: re.Match[str], lines: Sequence[str], start: int, end: int, *, closed: bool) -> Fenced:
    indent = opened["indent"]
    width = len(indent)
    if width:
        lines = [line[width:] if line.startswith(indent) else line.lstrip(" \t") for line in lines]
    return Fenced("\n".join(lines), opened["info"].strip(), start, end, closed)
