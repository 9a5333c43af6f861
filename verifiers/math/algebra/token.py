r"""The tokens of an expression in plain text: numbers, names, marks. One pass, linear.

Adjoining letters are single names (``xy`` is two) unless they spell a function or ``pi``.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

LONGEST = 1_500
MOST_DIGITS = 400
LARGEST_EXPONENT = 400

FUNCTIONS = frozenset((
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "arccot", "arcsec", "arccsc",
    "sinh", "cosh", "tanh", "coth", "sech", "csch", "arsinh", "arcosh", "artanh", "log", "ln", "lg", "exp",
    "sqrt", "cbrt", "max", "min", "gcd", "lcm", "abs", "floor", "ceil", "sgn", "asin", "acos", "atan",
    "asinh", "acosh", "atanh", "arcsinh", "arccosh", "arctanh", "cis",
))  # fmt: skip
GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
    "xi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega", "ell", "hbar",
)  # fmt: skip
NAMED = {f"\\{name}": f"\\{name}" for name in GREEK}
NAMED |= {f"\\var{name}": f"\\{name}" for name in ("epsilon", "theta", "phi", "rho", "sigma")}
NAMED |= {"\\pi": "\\pi", "\\imath": "i", "\\jmath": "j"}

# as plain text spells them; two letters side by side are a product
PLAIN = frozenset(name for name in GREEK if len(name) > 2) - {"ell", "hbar", "psi"}
_WORDS = sorted(FUNCTIONS | {"pi"}, key=len, reverse=True)
_WORD = re.compile("|".join(_WORDS) + "|[A-Za-z]")
# the last are those of physics: GMm, nRT
_VARIABLES = re.compile(r"[b-df-hj-np-tv-z]{3,4}|[a-d]{3,4}|[A-D]{3,4}|[GMmRTnkQq]{3,4}", re.ASCII)
_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>(?:(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4}(?![\w.]))?)"
    r"|\\text\s?\{\s?(?P<text>[A-Za-z]+)\s?\}"
    r"|\\hat\{(?P<hat>[ijk])\}"
    r"|(?P<command>\\[A-Za-z]+|\\[{}|])"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<mark>[-+*/^_(){}\[\]|!%°:,'])"
    r"|(?P<letter>[^\W\d_])"
    r")"
)


class Unread(ValueError):
    """The text is no expression that this parser reads."""


class Token(NamedTuple):
    """``kind`` is ``number``, ``name``, ``function``, or ``mark``; a number carries its value."""

    kind: str
    text: str
    value: Fraction | None = None


def tokens(text: str) -> list[Token]:
    """Raises :class:`Unread` where a character is no part of an expression, or a bound is passed."""
    if len(text) > LONGEST:
        raise Unread(f"longer than {LONGEST} characters")
    found: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unread(f"no expression at {text[at : at + 20]!r}")
        _take(match, found)
        at = match.end()
    return found


def _take(match: re.Match[str], found: list[Token]) -> None:
    kind = match.lastgroup
    written = match[kind or 0]
    if kind == "number":
        found.append(Token("number", written, _value(written)))
    elif kind == "mark":
        found.append(Token("mark", written))
    elif kind == "command":
        found.append(_command(written))
    elif kind in ("letter", "hat"):
        found.append(Token("name", written))
    elif kind == "text" and len(written) > 1 and written not in FUNCTIONS:
        raise Unread(f"{written!r} is text")
    elif written in PLAIN:
        found.append(Token("name", f"\\{written}"))
    else:
        names = _WORD.findall(written)
        if not letters(names):
            raise Unread(f"{written!r} is a word")
        found.extend(map(_named, names))


def letters(names: list[str]) -> bool:
    """Whether adjoining single letters are variables side by side (``xyz``, ``abc``) rather than a word."""
    run = "".join(name if len(name) == 1 else " " for name in names)
    return all(len(part) < 3 or _VARIABLES.fullmatch(part) is not None for part in run.split())


def wordy(text: str) -> bool:
    """Whether a stretch of letters is a word: not a function, nor variables side by side."""
    return text not in PLAIN and not letters(_WORD.findall(text))


def _command(written: str) -> Token:
    name = NAMED.get(written)
    if name is not None:
        return Token("name", name)
    return Token("function", written[1:]) if written[1:] in FUNCTIONS else Token("mark", written)


def _named(word: str) -> Token:
    if word == "pi":
        return Token("name", "\\pi")
    return Token("name" if len(word) == 1 else "function", word)


def _value(written: str) -> Fraction:
    digits = written.replace(",", "")
    if len(digits) > MOST_DIGITS:
        raise Unread("a number with too many digits")
    if digits.isdigit():
        return Fraction(int(digits))
    mantissa, _, exponent = digits.lower().partition("e")
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise Unread("a number with too large an exponent")
    whole, _, decimals = mantissa.partition(".")
    power = int(exponent or 0) - len(decimals)
    value = int((whole + decimals) or "0")
    return Fraction(value * 10**power) if power >= 0 else Fraction(value, 10**-power)
