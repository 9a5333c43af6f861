"""Signs that belong to the letter before them: vowels of Indic scripts and Thai, voicing of kana, accents.

Unicode counts them as marks, which ``\\w`` of Python's ``re`` leaves out: a word that is made of ``\\w`` alone loses
the vowels of half the world's languages, and words that differ in nothing else become the same.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from itertools import groupby

_CODES = min(sys.maxunicode, 0x1FFFF)
"""The planes that have marks, but for variation selectors, which are no part of a word."""
_HEBREW_AND_ARABIC = range(10, 36)
_ACCENTS = 200


@cache
def mark_ranges() -> str:
    """What stands between the brackets of a regular expression that is to match a mark. Some milliseconds, once."""
    marks = [code for code in range(_CODES) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    runs = [[code for _, code in run] for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])]
    return "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs)


def is_accent(sign: str) -> bool:
    """Whether a mark may be left out without making another word: accents, and vowels that are mostly not written."""
    place = unicodedata.combining(sign)
    return place >= _ACCENTS or place in _HEBREW_AND_ARABIC
