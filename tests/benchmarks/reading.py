r"""A second opinion on labels: LaTeX and plain expressions evaluated in floats, at a fixed point for each variable.

It reads what the pairs' generators write for numbers, polynomials, radicals, logarithms and angles, and raises
:class:`Unread` for anything else. It shares nothing with the verifier, nor with the generators.
"""

from __future__ import annotations

import cmath
import re
import unicodedata
from collections.abc import Callable

_POINT: dict[str, complex] = {"x": 1.37, "y": -0.83, "n": 2.19, "t": 0.71, "pi": cmath.pi, "i": 1j, "e": cmath.e}
_CALLS: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt,
    "ln": cmath.log,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
}
_TOKEN = re.compile(r"\s*(\d+\.?\d*|\.\d+|sqrt|ln|sin|cos|tan|pi|[xyntie]|\*\*|[-+*/()@])")
_REWRITES = (
    (re.compile(r"\\(?:left|right|,|;|displaystyle)|\\(?=\s)"), " "),
    (re.compile(r"\\d?frac\s?(\d)(\d)"), r"((\1)/(\2))"),
    (re.compile(r"\\(?:text|textbf|mathbf|mathrm)\{([^{}]*)\}"), r"(\1)"),
    (re.compile(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}"), r"((\1)/(\2))"),
    (re.compile(r"\\sqrt\[(\d)\]\{([^{}]*)\}"), r"((\2)**(1/\1))"),
    (re.compile(r"\\sqrt\{([^{}]*)\}"), r"sqrt(\1)"),
    (re.compile(r"\\log_(?:\{(\d+)\}|(\d))\s*(?:\((\d+)\)|\{(\d+)\}|(\d+))"), r"(ln(\3\4\5)/ln(\1\2))"),
    (re.compile(r"\^\{\\circ\}|\^\\circ|°"), "*(pi/180)"),
    (re.compile(r"(\d)[eE]([-+]?\d+)"), r"\1*10**(\2)"),
    (re.compile(r"\^\{([^{}]*)\}"), r"**(\1)"),
    (re.compile(r"\^\((-?\d+)\)|\^(-?\d+)"), r"**(\1\2)"),
    (re.compile(r"\\(?:cdot|times)|×| x (?=10)"), "*"),
    (re.compile(r"\\(ln|sin|cos|tan|pi)"), r" \1 "),
    (re.compile(r"\{([^{}]*)\}"), r"(\1)"),
)


class Unread(Exception):
    """Not an expression of this reader."""


def value(text: str) -> complex:
    """The expression's value at the fixed point."""
    expression = _plain(text)
    tokens, at = [], 0
    while expression[at:].strip():
        found = _TOKEN.match(expression, at)
        if found is None:
            raise Unread(text)
        tokens.append(found[1])
        at = found.end()
    return _Reader(tokens).whole(text)


def _plain(text: str) -> str:
    text = re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: "^{" + unicodedata.normalize("NFKC", found[0]) + "}", text)
    text = text.replace("−", "-").replace("–", "-").replace("π", "\\pi ").replace("**", "^")
    text = re.sub(r"√(\d+)", r"\\sqrt{\1}", text).removesuffix(".")
    return _rewritten(re.sub(r"^[fP]\([xnt]\) = ", "", text))


def _rewritten(text: str) -> str:
    """From the inside out: after each change the earlier patterns have their turn again."""
    for pattern, into in _REWRITES:
        changed = pattern.sub(into, text)
        if changed != text:
            return _rewritten(changed)
    return text


class _Reader:
    """Recursive descent; a product may have no sign, a function's argument no brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, "@"]
        self._at = 0

    def whole(self, text: str) -> complex:
        try:
            found = self._sum()
        except (KeyError, ValueError, ZeroDivisionError, OverflowError) as failure:
            raise Unread(text) from failure
        if self._next != "@":
            raise Unread(text)
        return found

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sum(self) -> complex:
        total = self._signed()
        while self._next in "+-":
            total = total + self._product() if self._take() == "+" else total - self._product()
        return total

    def _signed(self) -> complex:
        if self._next in "+-":
            return self._product() if self._take() == "+" else -self._product()
        return self._product()

    def _product(self) -> complex:
        total = self._power()
        while self._next not in "+-)@":
            if self._next == "/":
                self._take()
                total /= self._power()
            else:
                if self._next == "*":
                    self._take()
                total *= self._power()
        return total

    def _power(self) -> complex:
        base = self._atom()
        if self._next == "**":
            self._take()
            return base ** self._power()
        return base

    def _atom(self) -> complex:
        token = self._take()
        if token == "(":
            found = self._sum()
            if self._take() != ")":
                raise ValueError("unbalanced")
            return found
        if token == "-":
            return -self._atom()
        if token in _CALLS:
            return _CALLS[token](self._argument())
        return _POINT[token] if token in _POINT else complex(float(token))

    def _argument(self) -> complex:
        """Brackets alone, else up to the next sum: the generators write nothing after such an argument."""
        return self._atom() if self._next == "(" and self._degrees_follow() is False else self._product()

    def _degrees_follow(self) -> bool:
        depth = 0
        for at in range(self._at, len(self._tokens)):
            depth += {"(": 1, ")": -1}.get(self._tokens[at], 0)
            if depth == 0:
                return self._tokens[at + 1 : at + 4] == ["*", "(", "pi"]
        return False
