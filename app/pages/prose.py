"""A response as people read it: mathematics between TeX's delimiters and code between fences, the rest as it is.

One pass, each delimiter with a bounded look ahead. What is not understood stays text. Everything shown is inert.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from app.pages.highlight import highlighted
from app.pages.inert import SHOWN, inert
from app.pages.maths import LONGEST, mathml

_MOST_FORMULAS = 300
_OPENER = re.compile(r"^```([^\n`]{0,40})\n|\$\$|\\\[|\\\(|\$(?=[^\s$])", re.MULTILINE)
_CLOSERS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "$": "$"}
_BLOCKS = frozenset({"$$", "\\["})


def prose(text: str, most: int = SHOWN) -> Markup:
    """At most ``most`` characters of a text, for an element of the class ``inert``."""
    text = text[:most]
    pieces: list[Markup] = []
    place = start = formulas = 0
    while (opener := _OPENER.search(text, place)) is not None:
        shown, end = _code(text, opener) if opener.group().startswith("```") else _formula(text, opener)
        formulas += shown is not None
        if shown is None or formulas > _MOST_FORMULAS:
            place = opener.end()
            continue
        pieces += (inert(text[start : opener.start()], most), shown)
        place = start = end
    pieces.append(inert(text[start:], most))
    return Markup("").join(pieces)


def _code(text: str, opener: re.Match[str]) -> tuple[Markup | None, int]:
    """A block of code; one that is never closed goes on to the end."""
    close = text.find("\n```", opener.end() - 1)
    inside = text[opener.end() : close if close >= 0 else len(text)]
    end = close + 4 if close >= 0 else len(text)
    return Markup('<code class="code">{}</code>').format(highlighted(inside, opener.group(1))), end


def _formula(text: str, opener: re.Match[str]) -> tuple[Markup | None, int]:
    """MathML, or the source where it is beyond what is converted; None where it is no formula at all."""
    kind = opener.group()
    close = text.find(_CLOSERS[kind], opener.end(), opener.end() + LONGEST)
    if close < 0:
        return None, 0
    source = text[opener.end() : close]
    end = close + len(_CLOSERS[kind])
    if kind == "$" and (source[-1:].isspace() or "\n" in source or text[end : end + 1].isdigit()):
        return None, 0
    made = mathml(source.strip(), kind in _BLOCKS)
    if made is not None:
        return made, end
    return Markup('<code class="tex">{}</code>').format(inert(text[opener.start() : end], LONGEST + 4)), end
