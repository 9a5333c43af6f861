"""Which script a text is mostly written in, as a stand-in for its language.

A guess by Unicode blocks alone: it tells Russian from Chinese, not English from French. Kana decides for Japanese,
whose texts are mostly Han. Digits, formulas and punctuation have no script.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

Language = Literal["latin", "han", "kana", "cyrillic", "arabic", "devanagari", "other", "none"]

_BLOCKS: tuple[tuple[int, int, Language], ...] = (
    (0x0041, 0x005A, "latin"),
    (0x0061, 0x007A, "latin"),
    (0x00C0, 0x024F, "latin"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0600, 0x06FF, "arabic"),
    (0x0750, 0x077F, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x1E00, 0x1EFF, "latin"),
    (0x3041, 0x30FF, "kana"),
    (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"),
    (0xFB50, 0xFDFF, "arabic"),
    (0xFE70, 0xFEFF, "arabic"),
    (0x20000, 0x2FA1F, "han"),
)
_STARTS = np.array([first for first, _, _ in _BLOCKS])
_ENDS = np.array([last for _, last, _ in _BLOCKS])
_KANA_SHARE = 0.1


def language(text: str) -> Language:
    """The script of most letters; ``none`` without a letter, ``other`` for a script that is not listed."""
    if text.isascii():
        return "latin" if any(map(str.isalpha, text)) else "none"
    counts: dict[Language, int] = {}
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    place = np.searchsorted(_STARTS, points, side="right") - 1
    inside = (place >= 0) & (points <= _ENDS[place])
    for block, count in enumerate(np.bincount(place[inside], minlength=len(_BLOCKS)).tolist()):
        script = _BLOCKS[block][2]
        counts[script] = counts.get(script, 0) + count
    counts["other"] = sum(map(str.isalpha, map(chr, points[~inside & (points > 0x7F)].tolist())))
    asian = counts["han"] + counts["kana"]
    if counts["kana"] >= _KANA_SHARE * asian > 0:
        counts["kana"], counts["han"] = asian, 0
    most = max(counts, key=lambda script: counts[script])
    return most if counts[most] else "none"
