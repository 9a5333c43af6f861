"""Text that can be stored and shown: a lone surrogate or NUL becomes U+FFFD, one for one.

The service does the same at admission; here it makes verifiers that are called in process give verdicts
that can be written as JSON. Positions stay what they were.
"""

from __future__ import annotations

import re

_ILLEGIBLE = re.compile("[\x00\ud800-\udfff]")
SHOWN = 500
"""Characters of one text that evidence repeats."""


def legible(text: str) -> str:
    """The same text, of the same length, without lone surrogates and NULs."""
    if text.isascii() and "\x00" not in text:
        return text
    return _ILLEGIBLE.sub("\ufffd", text)


def shorten(text: str) -> str:
    """The text as evidence repeats it: legible and at most :data:`SHOWN` characters."""
    text = legible(text[: SHOWN + 1])
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
