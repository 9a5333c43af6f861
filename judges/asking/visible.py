"""A text as a person sees it: without characters that are seen by nobody, and read by models.

Unicode's tag characters spell ASCII that no font shows, variation selectors can carry bytes, marks of direction and
joiners part words or reorder them. Whoever reads a ledger sees none of these, so a judge reads none either. What shapes
what is seen stays: a joiner within a word of another script than ASCII or within an emoji, and the three flags that are
spelt with tags. Blanks that count as letters are spaces, and of control characters only those that break lines or set
columns stay: a terminal's and a ledger's readers see no others. Linear.
"""

from __future__ import annotations

import re

_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(mark)) for mark in name) + "\U000e007f"
    for name in ("gbeng", "gbsct", "gbwls")
)
_HIDDEN = re.compile(
    f"({_FLAGS})|["
    "\U000e0000-\U000e0fff"  # tags, variation selectors 17 to 256
    "\ufe00-\ufe0f"  # variation selectors 1 to 16
    "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"  # marks of direction
    "\u00ad\u034f\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb\U0001d173-\U0001d17a"  # of no width
    "\u115f\u1160\u17b4\u17b5\U0001bca0-\U0001bca3"  # of no width, too: fillers of syllables, and of shorthand
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters
    "]"
)
_BLANKS = str.maketrans(dict.fromkeys("\u3164\uffa0\u2800", " "))
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_SHOWN = r"[^\x00-\x7f\s\u200c\u200d]"
_JOINER = re.compile(rf"[\u200c\u200d](?!{_SHOWN})|(?<!{_SHOWN})[\u200c\u200d]")


def visible(text: str) -> str:
    if text.isascii():
        return _CONTROLS.sub("", text)
    return _JOINER.sub("", _HIDDEN.sub(lambda found: found[1] or "", text.translate(_BLANKS)))
