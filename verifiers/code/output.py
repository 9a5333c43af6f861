"""Whether what a program wrote is the expected output. It runs on the host; linear but for sorting lines.

Bytes that are no UTF-8 equal only themselves. Not covered: outputs that a program has to judge (a checker does).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Literal

from verifiers.code.equal import Tolerance

Comparison = Literal["exact", "whitespace", "tokens", "floats", "lines"]

_BLANK = " \t\r\f\v"
_TOKEN = re.compile(r"[^ \t\n\r\f\v]+")
_INTEGER = re.compile(r"[+-]?\d{1,400}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?", re.ASCII)


def same_output(given: bytes, wanted: str, comparison: Comparison, tolerance: Tolerance) -> bool:
    """``tolerance`` is that of the comparison ``floats``.

    ``exact``: byte for byte. ``whitespace``: line by line without blanks at their ends and without blank lines at
    either end of the whole. ``tokens``: what stands between white space of ASCII. ``floats``: the same, and a number
    may differ within the tolerance from an expected one that has a point or an exponent; from an expected integer it
    may differ in notation alone. ``lines``: as ``whitespace``, in any order.
    """
    if given == wanted.encode(errors="surrogatepass"):
        return True
    return _SAME[comparison](given.decode(errors="surrogateescape"), wanted, tolerance)


def compare_output(given: bytes, wanted: str, comparison: Comparison, tolerance: Tolerance) -> Iterator[bool]:
    """The same, for a process that can be killed."""
    yield same_output(given, wanted, comparison, tolerance)


def _same_lines(given: str, wanted: str, tolerance: Tolerance) -> bool:
    return _lines(given) == _lines(wanted)


def _same_unordered(given: str, wanted: str, tolerance: Tolerance) -> bool:
    return Counter(_lines(given)) == Counter(_lines(wanted))


def _same_tokens(given: str, wanted: str, tolerance: Tolerance) -> bool:
    return _TOKEN.findall(given) == _TOKEN.findall(wanted)


def _same_numbers(given: str, wanted: str, tolerance: Tolerance) -> bool:
    ours, theirs = _TOKEN.findall(given), _TOKEN.findall(wanted)
    return len(ours) == len(theirs) and all(
        one == other or _close(one, other, tolerance) for one, other in zip(ours, theirs, strict=True)
    )


_SAME: dict[Comparison, Callable[[str, str, Tolerance], bool]] = {
    "exact": lambda given, wanted, tolerance: False,
    "whitespace": _same_lines,
    "tokens": _same_tokens,
    "floats": _same_numbers,
    "lines": _same_unordered,
}


def _lines(text: str) -> list[str]:
    lines = [line.rstrip(_BLANK) for line in text.split("\n")]
    start, end = 0, len(lines)
    while start < end and not lines[start]:
        start += 1
    while end > start and not lines[end - 1]:
        end -= 1
    return lines[start:end]


def _close(given: str, wanted: str, tolerance: Tolerance) -> bool:
    if _NUMBER.fullmatch(given) and _INTEGER.fullmatch(wanted):
        return Decimal(given) == Decimal(wanted)
    if _NUMBER.fullmatch(given) and _NUMBER.fullmatch(wanted):
        return tolerance.close(float(given), float(wanted))
    # 1e999 is not finite either: spelled-out infinities and NaN are texts
    return given.casefold() == wanted.casefold() and given.casefold().lstrip("+-") in ("nan", "inf", "infinity")
