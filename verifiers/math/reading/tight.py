r"""A plain text in the spelling that texts are compared in: no blank, brace or command that says nothing.

``x ^ {2}`` is ``x^2``, ``\leq`` is ``\le``, ``2 x`` is ``2x``. Blanks stay between letters and between digits:
``x y`` may be a word beside ``xy``, ``4 2`` is no 42. Linear.
"""

from __future__ import annotations

import re
from functools import lru_cache

_RELATION = re.compile(r"\\(le|ge|ne)(?:q|qslant|qq)?(?![A-Za-z])")
_BRACED = re.compile(r"([\^_]) ?\{ ?(\w|\\[A-Za-z]+) ?\}(?! ?\d)")
_BLANK = re.compile(r" (?![A-Za-z0-9])|(?<![A-Za-z0-9]) |(?<=[A-Za-z]) (?=[0-9])|(?<=[0-9]) (?=[A-Za-z])")
_PRIME = re.compile(r"\^ ?\{ ?((?:\\prime ?)+)\}|\^ ?\\prime(?![A-Za-z])")


_INDEX = re.compile(r"\\(?:sum|prod|bigcup|bigcap)_\{?\s?([a-z])\s?=")


@lru_cache(maxsize=2048)
def tight(text: str) -> str:
    if " " not in text and "{" not in text and "\\" not in text:
        return text
    text = _PRIME.sub(lambda found: "'" * max(1, (found[1] or "").count("prime")), text)
    text = _BRACED.sub(r"\1\2 ", _RELATION.sub(r"\\\1", text))
    text = text.replace("  ", " ")
    index = _INDEX.search(text)
    if index is not None:  # its name says nothing
        text = re.sub(rf"(?<![A-Za-z\\]){index[1]}(?![A-Za-z])", "§", text)
    if "\\text" in text:
        text = text.replace("\\text{", " {").replace("\\text", " ")
    return _BLANK.sub("", text)
