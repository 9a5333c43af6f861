"""Quotes, dashes and dots as a keyboard has them: ``Schindler’s List`` and ``Schindler's List`` are one title.

Models set texts with typographic signs, data sets mostly do not. What a text says is the same.
"""

from __future__ import annotations

import unicodedata

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)


def plain_signs(text: str) -> str:
    """The text in Unicode NFC, with ASCII's quotes, dashes and dots."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_SIGNS)
