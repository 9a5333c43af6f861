r"""Exact rational numbers out of text: ``-1,234.5``, ``\frac12``, ``2 1/2``, ``3 \cdot 10^{-2}``, ``1.5e3``.

:func:`rational` evaluates arithmetic on literals with :class:`fractions.Fraction`; no float is involved.
The text is one that :func:`verifiers.math.reading.surface.plain` has cleaned, or plain ASCII. Bounded: literals of
:data:`MAX_DIGITS` digits, expressions of :data:`MAX_LENGTH` characters, values of :data:`MAX_BITS` bits.

Not covered: letters, radicals, functions, factorials, implicit products other than mixed numbers: None.
"""

from __future__ import annotations

import re
from fractions import Fraction

MAX_DIGITS = 10_000
MAX_LENGTH = 300
MAX_BITS = 34_000
MAX_EXPONENT = 10_000
MAX_DEPTH = 40
_CHUNK = 4_000


class TooLarge(ValueError):
    """A number beyond the bounds: what is not evaluated is not compared."""


_SMALL = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_LITERAL = re.compile(
    r"(?P<sign>[-+]?)(?:(?P<grouped>[1-9]\d{0,2}(?:,\d{3})+)|(?P<plain>\d+))?(?:\.(?P<decimals>\d*))?"
    r"(?:[eE](?P<exponent>[-+]?\d{1,9}))?",
    re.ASCII,
)
# a point, or a number in parentheses where a group begins with a zero: (2,100), (1,000)
_POINT = re.compile(r"\(\s*[-+]?\d{1,3}(?:,[1-9]\d\d)+\s*\)", re.ASCII)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d*)?|\.\d+)(?P<exponent>[eE][-+]?\d{1,9})?"
    r"|(?P<operator>\\frac|\\cdot|\\times|\\div|[-+*/^(){}]))",
    re.ASCII,
)
_PRODUCT = {"*": "*", "\\cdot": "*", "\\times": "*", "/": "/", "\\div": "/"}


def rational(text: str) -> Fraction | None:
    """The exact value of a text, or None where it is not arithmetic on literals.

    Raises :class:`TooLarge` where it is, but beyond the bounds.
    """
    if _SMALL.fullmatch(text):
        return Fraction(int(text))
    literal = _LITERAL.fullmatch(text)
    if literal is not None:
        return _literal(literal)
    if len(text) > MAX_LENGTH or _POINT.search(text):
        return None
    try:
        return _Reader(text).whole()
    except _NotArithmetic:
        return None


def _literal(match: re.Match[str]) -> Fraction | None:
    whole = match["grouped"] or match["plain"] or ""
    decimals = match["decimals"] or ""
    if not whole and not decimals:
        return None
    exponent = int(match["exponent"] or 0) - len(decimals)
    digits = whole.replace(",", "") + decimals
    if len(digits) > MAX_DIGITS or abs(exponent) > MAX_EXPONENT:
        raise TooLarge(f"a number of {len(digits)} digits with exponent {exponent}")
    value = integer(digits)
    exact = Fraction(value * 10**exponent) if exponent >= 0 else Fraction(value, 10**-exponent)
    return -exact if match["sign"] == "-" else exact


def integer(digits: str) -> int:
    """The number of a text of digits, however many: Python alone refuses more than 4,300."""
    value = 0
    for start in range(0, len(digits), _CHUNK):
        chunk = digits[start : start + _CHUNK]
        value = value * 10 ** len(chunk) + int(chunk)
    return value


class _NotArithmetic(Exception):
    """The text is not arithmetic on literals."""


class _Reader:
    """A recursive descent over the tokens; each piece is read once."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def whole(self) -> Fraction:
        value = self._sum()
        if self._at < len(self._tokens):
            raise _NotArithmetic
        return value

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        piece = self._peek()
        self._at += 1
        return piece

    def _sum(self) -> Fraction:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooLarge("arithmetic nested too deeply")
        value = self._product()
        while self._peek() in ("+", "-"):
            value = _bounded(value + self._product() if self._take() == "+" else value - self._product())
        self._depth -= 1
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while (operator := _PRODUCT.get(self._peek())) is not None:
            self._take()
            value = _bounded(value * self._signed()) if operator == "*" else _over(value, self._signed())
        return value

    def _signed(self) -> Fraction:
        negative = False
        while self._peek() in ("+", "-"):
            negative ^= self._take() == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Fraction:
        base = self._atom()
        if self._peek() != "^":
            return base
        self._take()
        return _raised(base, self._exponent())

    def _exponent(self) -> Fraction:
        """``10^12`` means twelve, though TeX would raise the 1 alone; a tower is not read."""
        negative = self._peek() == "-"
        if negative:
            self._take()
        value = self._atom()
        if self._peek() == "^":
            raise _NotArithmetic
        return -value if negative else value

    def _atom(self) -> Fraction:
        piece = self._take()
        if piece in ("(", "{"):
            value = self._sum()
            if self._take() != (")" if piece == "(" else "}"):
                raise _NotArithmetic
            return value
        if piece == "\\frac":
            return _over(self._argument(), self._argument())
        if not piece or not (piece[0].isdigit() or piece[0] == "."):
            raise _NotArithmetic
        return _number(piece) if "." in piece else self._mixed(_number(piece))

    def _mixed(self, whole: Fraction) -> Fraction:
        r"""``2\frac12`` and ``2 1/2`` are mixed numbers; any other number beside a number is none."""
        following = self._tokens[self._at : self._at + 3]
        if following[:1] == ["\\frac"]:
            self._take()
            above, below = self._argument(), self._argument()
        elif len(following) == 3 and following[1] == "/" and following[0].isdigit() and following[2].isdigit():
            above, below = Fraction(int(following[0][:20])), Fraction(int(following[2][:20]))
            self._at += 3
        else:
            return whole
        proper = 0 < above < below and above.denominator == below.denominator == whole.denominator == 1
        if not proper:
            raise _NotArithmetic
        return whole + above / below

    def _argument(self) -> Fraction:
        r"""An argument of ``\frac``: a group, or one digit of what follows (``\frac12``)."""
        piece = self._peek()
        if piece == "{":
            return self._atom()
        if not piece.isdigit():
            raise _NotArithmetic
        if len(piece) == 1:
            self._at += 1
        else:
            self._tokens[self._at] = piece[1:]
        return Fraction(int(piece[0]))


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        piece = _TOKEN.match(text, at)
        if piece is None:
            raise _NotArithmetic
        found.append(piece[0].strip())
        at = piece.end()
    return found


def _number(piece: str) -> Fraction:
    literal = _LITERAL.fullmatch(piece)
    value = _literal(literal) if literal else None
    if value is None:
        raise _NotArithmetic
    return value


def _over(above: Fraction, below: Fraction) -> Fraction:
    if below == 0:
        raise _NotArithmetic
    return _bounded(above / below)


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or (base == 0 and exponent <= 0):
        raise _NotArithmetic
    if abs(base) == 1 or base == 0:
        return base if exponent.numerator % 2 or base == 0 else Fraction(1)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent.numerator) > MAX_BITS:
        raise TooLarge("a power beyond the bounds")
    return Fraction(base**exponent.numerator)


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise TooLarge("a value beyond the bounds")
    return value
