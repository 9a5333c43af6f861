"""Whether a response of signs alone, without a letter or a digit, may be an answer.

Emoji, arrows and signs of mathematics beyond those of a keyboard say something by themselves. Those of a keyboard are
what markup is made of, and judges are known to accept them for nothing: they count where the task or a reference speaks
of such (``Which symbol ...``, ``a regex``, ``the empty list``) or names them (``plus``, ``a br tag``), and those of
punctuation alone where a reference names them, or the task where there is no reference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from judges.hardening.surface import tokens, without_control


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MARKS = _set("""
    symbol symbols character characters regex regexp glyph operator operators emoji emojis emoticon smiley
    bracket brackets brace braces parenthesis parentheses arrow arrows tick sign signs unicode ascii
""")
"""Words of tasks that may be answered by signs that are more than punctuation."""
_CODE = _set(
    "tag tags html xml markdown pattern list array tuple dictionary dict json object empty string code expression"
)
"""Words of tasks that may be answered by such signs where their brackets come in pairs."""
_PUNCTUATION = frozenset(".,:;!?'\"-_#…·‘’“”–—。、，：；！？")
_CALLED = {
    ".": "period dot", "!": "exclamation bang", "&": "and", "@": "at", "#": "hash sharp", "*": "star times", "+": "add",
    "-": "dash minus", "/": "divide divided", "^": "power", "|": "pipe or", "%": "modulo", "_": "blank", "=": "equal",
    "<": "less", ">": "greater", "\\": "backslash", "`": "backtick",
}  # fmt: skip
_EVERYDAY = _set("sign mark left right full white black small large heavy light face with of and a the")
"""Words of the names of many signs."""
_TAG = re.compile(r"</?\s?([A-Za-z][A-Za-z0-9]{0,15})[\s/>]")
_MARKUP = re.compile(r"\\[A-Za-z]{1,20}\s*\{\s*\}|```[a-z]*|\$\$?")
"""Around nothing these are nothing."""
_PAIRS = ("()", "[]", "{}")
_MOST = 40


def is_sign(text: str, task: str, references: Sequence[str]) -> bool:
    """``task`` is the question; ``references`` are texts that would be answers."""
    text = _MARKUP.sub("", without_control(text).strip())
    marks = [mark for mark in text[:_MOST] if unicodedata.category(mark)[0] in "SP"]
    if any(map(_says, marks)):
        return True
    words = {word for one in (task[-2_000:], *references) for word in tokens(one)}
    if {name.casefold() for name in _TAG.findall(text[:_MOST])} & words:
        return True
    if not marks or len(text) > _MOST:
        return False
    if _PUNCTUATION.issuperset(marks):
        return _is_punctuation(marks, words, references)
    if words & _MARKS or any(words & _names(mark) for mark in marks):
        return True
    return bool(words & _CODE) and all(text.count(pair[0]) == text.count(pair[1]) for pair in _PAIRS)


def _is_punctuation(marks: Sequence[str], words: Collection[str], references: Sequence[str]) -> bool:
    """A reference must be its name; where there is none the task may have it."""
    called = {name for mark in marks for name in _names(mark)}
    known = called | _EVERYDAY
    named = any(called.intersection(said) and known.issuperset(said) for said in map(tokens, references))
    asked = not references and not called.isdisjoint(words)
    return named or asked or "punctuation" in words or ("morse" in words and len(marks) > 1)


def _says(mark: str) -> bool:
    """Not the signs of a keyboard, nor those that draw lines and boxes."""
    drawn = 0x2500 <= ord(mark) <= 0x25FF or mark in "\ufffd\ufffc\u2800"
    return not mark.isascii() and unicodedata.category(mark) in ("So", "Sm", "Sc") and not drawn


def _names(mark: str) -> set[str]:
    """What a sign is called, in English."""
    named = unicodedata.name(mark, "").casefold().replace("-", " ").split()
    return (set(named) - _EVERYDAY) | set(_CALLED.get(mark, "").split())
