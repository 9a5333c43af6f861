r"""The letter of a choice: ``B``, ``(B)``, ``B.``, ``\text{(B) } 837``, ``Option C``; compared by its letter alone."""

from __future__ import annotations

import re

_TEXT = re.compile(r"\\text\s?\{([^{}]*)\}")
_ALONE = re.compile(r"(?:(?:option|choice|answer)\s)?[\[(]?([A-J])[\])]?[.:)]?", re.IGNORECASE)
# signs and words behind a letter that make no text of its option
_NO_TEXT = (
    r"(?!\\(?:vee|lor|cup|neq?|cdot|times|to|Rightarrow)(?![a-z])|[/=<>|+*^]"
    r"|(?:is|was)\s(?:wrong|incorrect|false|not)\b)"
)
_WITH_TEXT = re.compile(
    rf"[\[(]([A-J])[\])][.:]?\s*{_NO_TEXT}\S.*|([A-J])[.:)]\s+{_NO_TEXT}\S.*|(?:option|choice)\s([A-J])\W.*", re.DOTALL
)
_AFTER = re.compile(r"(?:[\[(][A-J][\])][.:]?|[A-J][.:)])\s*(\S.*)", re.DOTALL)

_BEGINNINGS = frozenset("([ABCDEFGHIJ\\")
"""Of what names an option, or has words around it that do."""


def read_letter(text: str) -> str | None:
    """The capital letter that a text consists of, else None."""
    found = _ALONE.fullmatch(_TEXT.sub(r"\1", text).strip()) if len(text) < 40 else None
    return found[1] if found is not None and found[1].isupper() else None


def letter(text: str) -> str | None:
    """The capital letter that a text is, or starts with as the name of an option."""
    found = read_letter(text)
    if found is not None:
        return found
    with_text = _WITH_TEXT.fullmatch(_TEXT.sub(r"\1", text[:300]).strip())
    return next((group for group in with_text.groups() if group), None) if with_text else None


def rest(text: str) -> str:
    """What stands after the letter of an option (``(B) 42``); empty where a text names none."""
    text = text[:300]
    if text.strip()[:1] not in _BEGINNINGS:
        return ""
    found = _AFTER.fullmatch(_TEXT.sub(r"\1", text).strip())
    return found[1] if found is not None else ""
