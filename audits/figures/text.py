"""Strangers' text in a page: nothing in it moves the text around it, and names fit where they stand.

Markup in it is harmless because Jinja and :mod:`audits.figures.element` escape it; this is about the rest.
"""

from __future__ import annotations

import re

_UNRULY = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
LONGEST = 2000
"""Characters of one text that a page shows at most, even in a title; the JSON has all of it."""


def printable(text: str) -> str:
    """Control characters and marks that turn the direction of writing become U+FFFD, one for one."""
    return _UNRULY.sub("\ufffd", text)


def short(text: str, length: int = LONGEST) -> str:
    """At most ``length`` characters on one line, the cut marked by an ellipsis."""
    line = " ".join(printable(text[: 2 * LONGEST]).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "\u2026"
