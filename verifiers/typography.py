"""Quotes, dashes and dots as a keyboard has them: ``Schindler’s List`` and ``Schindler's List`` are one title.

Models set texts with typographic signs, data sets mostly do not. What a text says is the same.

Who compares texts for other ends folds other signs, and takes its own from here:

- :func:`plain_signs` compares answers of words: all quotes, dashes and dots.
- :data:`CURLED` is what an editor makes of a keyboard's quotes: a judge that quotes a conversation
  (:mod:`judges.checklist.quotation`) may do as much to it. Dashes, primes and guillemets it has to copy.
- :data:`APOSTROPHES` stand within words (:mod:`judges.hardening.surface`): other quotes part words there.
- A formula (:mod:`verifiers.math.reading.signs`) has primes of its own and no guillemets, and folds minus signs of full
  width and small form, too. That table stands with the other signs of formulas.
"""

from __future__ import annotations

import unicodedata

CURLED = str.maketrans({**dict.fromkeys("‘’", "'"), **dict.fromkeys("“”", '"')})
APOSTROPHES = frozenset("'’ʼ‘`´")
_SIGNS = CURLED | str.maketrans(
    {
        **dict.fromkeys("‚‛′ʼ´", "'"),
        **dict.fromkeys("„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)


def plain_signs(text: str) -> str:
    """The text in Unicode NFC, with ASCII's quotes, dashes and dots."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_SIGNS)
