"""Excerpts of texts and values, as full feedback shows them: legible and short."""

from __future__ import annotations

import reprlib

from verifiers.legible import legible

LONGEST = 300

_REPR = reprlib.Repr()
_REPR.maxlevel, _REPR.maxstring, _REPR.maxother, _REPR.maxlong = 4, 120, 120, 120
_REPR.maxlist = _REPR.maxtuple = _REPR.maxdict = _REPR.maxset = _REPR.maxfrozenset = _REPR.maxdeque = 12


def excerpt(text: str | bytes) -> str:
    """The text's beginning and end, where it is long."""
    if isinstance(text, bytes):
        text = text[: 4 * LONGEST].decode(errors="replace") + text[4 * LONGEST :][-4 * LONGEST :].decode(
            errors="replace"
        )
    text = text.strip()
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    return legible(text)


def printed(value: object) -> str:
    """A value as Python writes it, cut in depth, width and length: whatever a program returned."""
    return excerpt(_REPR.repr(value))
