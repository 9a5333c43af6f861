r"""Numerals with their base: ``1011_2``, ``(33)_{4}``, ``{221}_3``, ``30_{\text{eight}}``, ``15 (base 6)``, ``0xFF``.

Digits that begin with a letter are a numeral in the bases 11, 12 and 16 alone (``FF_{16}``), else a name.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.math.reading.words import parse_words

LONGEST = 2_000
LONGEST_PROMPT = 20_000
"""Characters of a question in which a base is looked for."""
_NUMERAL = re.compile(
    r"\(?\{?(?:\\text\s?\{)?\s?(?P<digits>\d[\dA-Fa-f]*|[A-F][\dA-F]+(?=\s?\}?\}?\)?\s?(?:_\s?\{?1[126]|(?:\\text)?.{0,12}base.{0,3}1[126])))\s?\}?\}?\)?"
    r"(?:\s?_\s?\{?\s?\(?(?:\\text\s?\{)?\s?(?P<below>\d{1,2}|[a-z]{3,8})\s?\}?\)?\}?"
    r"|\s?(?:\\text\s?\{)?\s?,?\(?\s?(?:in\s)?base[\s-]?\}?\s?(?P<said>\d{1,2}|[a-z]{3,8})\s?\}?\)?\}?)"
)
_PREFIXED = re.compile(r"0(?:[xX](?P<hexadecimal>[\dA-Fa-f]+)|[bB](?P<binary>[01]+)|[oO](?P<octal>[0-7]+))")
_BASES = {"hexadecimal": 16, "binary": 2, "octal": 8}


def numeral(text: str) -> tuple[str, int] | None:
    """The digits and the base of a text that is one numeral, else None; the digits may not fit the base."""
    if len(text) >= LONGEST:
        return None
    prefixed = _PREFIXED.fullmatch(text)
    if prefixed is not None:
        kind = prefixed.lastgroup or ""
        return prefixed[kind].upper(), _BASES[kind]
    found = _NUMERAL.fullmatch(text)
    if found is None:
        return None
    written = found["below"] or found["said"]
    base = Fraction(written) if written.isdigit() else parse_words(written)
    return (found["digits"], int(base)) if base is not None and 2 <= base <= 36 and base.denominator == 1 else None


def value(digits: str, base: int) -> Fraction | None:
    """None where a digit is none of the base."""
    return None if any(int(digit, 36) >= base for digit in digits) else Fraction(int(digits, base))


_BASE_NAMED = re.compile(
    r"base[\s-]?(?:\$\s?)?(?:\d{1,2}(?!\d)|[a-z]{3,8})|hexadecimal|\bhex\b|binary|octal|ternary|[\d)}a-f]_\s?\{?\(?\d|进制|进位",
    re.IGNORECASE,
)


def names_base(prompt: str) -> bool:
    """Whether a question speaks of numerals in a base, so that digits alone may be meant in it."""
    return _BASE_NAMED.search(prompt[:LONGEST_PROMPT]) is not None
