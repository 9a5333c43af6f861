r"""The stretches of a text that are set as mathematics: ``$..$``, ``$$..$$``, ``\(..\)``, ``\[..\]``, ``align``, ...

One pass, linear. A delimiter without its partner is text. ``$5 + $13`` is money: a closing
dollar sign stands neither before a digit nor, alone of the two, beside a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ROWS = r"(?:align|alignat|aligned|gather|gathered|equation|eqnarray|multline|split|displaymath|math)\*?"
_DELIMITER = re.compile(rf"\\\\|\\\$|\$\$|\$|\\[()\[\]]|\n|\\(?:begin|end)\{{{_ROWS}\}}")
_PARTNER = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_ROW_STEP = re.compile(r"\\(?P<edge>begin|end)\{[a-z*]{1,20}\}|\\\\")
_WRAPPER = re.compile(rf"\s*\\begin\{{({_ROWS})\}}(.*)\\end\{{\1\}}\s*[.,]?\s*", re.DOTALL)

Segment = tuple[int, int, int, int]


def segments(text: str, begin: int = 0, limit: int | None = None) -> Iterator[Segment]:
    """Each segment as (start, inner start, inner end, end), in order."""
    opener: re.Match[str] | None = None
    for mark in _DELIMITER.finditer(text, begin, len(text) if limit is None else limit):
        sign = mark[0]
        if opener is not None and sign == _partner(opener[0]):
            if sign == "$" and _is_money(text, opener.end(), mark.start()):
                opener = mark
                continue
            yield opener.start(), opener.end(), mark.start(), mark.end()
            opener = None
        elif sign == "\n":
            if opener is not None and opener[0] == "$":
                opener = None
        elif (sign in _PARTNER or sign.startswith("\\begin")) and (opener is None or opener[0] == "$"):
            opener = mark


def final_row(text: str, start: int, end: int) -> tuple[int, int]:
    r"""The last row of a stretch of mathematics: ``&= 5`` of ``x &= 2 + 3 \\ &= 5``. A matrix is no rows."""
    if "\\" not in text[start:end]:
        return start, end
    wrapped = _WRAPPER.fullmatch(text, start, end)
    if wrapped is not None:
        start, end = wrapped.span(2)
    rows = [start]
    depth = 0
    for step in _ROW_STEP.finditer(text, start, end):
        if step["edge"]:
            depth += 1 if step["edge"] == "begin" else -1
        elif depth == 0 and text[step.end() : end].strip(" \t\r\n&"):
            rows.append(step.end())
    if len(rows) > 1:
        start = rows[-1]
        while start < end and text[start] in " \t\r\n&=":
            start += 1
    while end > start and text[end - 1] in " \t\r\n\\":
        end -= 1
    return start, end


def _partner(opener: str) -> str:
    return _PARTNER.get(opener) or opener.replace("begin", "end", 1)


def _is_money(text: str, inner: int, inner_end: int) -> bool:
    after = text[inner_end + 1 : inner_end + 2]
    lopsided = text[inner_end - 1].isspace() and not text[inner].isspace()
    return after.isdecimal() or lopsided
