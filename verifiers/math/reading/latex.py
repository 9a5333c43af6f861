r"""Plain text as LaTeX that the parser reads as it was meant: the last step before a computer algebra system.

Decimals become exact fractions (a float would be compared with rounding), ``4.5e33`` becomes a product,
degrees inside an expression become radians, ``sqrt(2)`` and ``pi`` get their backslash.
"""

from __future__ import annotations

import re

_E_NOTATION = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)[eE]([-+]?\d{1,4})(?![\w.])", re.ASCII)
_DECIMAL = re.compile(r"(?<![\w.])(\d*)\.(\d+)(?![\d.])", re.ASCII)
_THOUSANDS = re.compile(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])", re.ASCII)
_JOINED = re.compile(r",\s?\\l(?:and|or)(?![A-Za-z])")
_ROOT_CALL = re.compile(r"\\?sqrt\s?\(([^()]{1,200})\)")
_NAMES = re.compile(
    r"(?<![A-Za-z\\])(sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|exp|pi|sqrt)(?![A-Za-z])"
)
_DEGREES = re.compile(r"(\d+|\\frac\{\d+\}\{\d+\})\s?°")
_SHORT_FRACTION = re.compile(r"\\frac\s?(\d)\s?(\d)")


def latex(text: str) -> str:
    text = _JOINED.sub(",", text)
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    text = _E_NOTATION.sub(r"(\1 \\times 10^{\2})", text)
    text = _DECIMAL.sub(_exact, text)
    text = _ROOT_CALL.sub(r"\\sqrt{\1}", text)
    text = _SHORT_FRACTION.sub(r"\\frac{\1}{\2}", text)
    text = _DEGREES.sub(r"(\1 \\cdot \\frac{\\pi}{180})", text)
    return _NAMES.sub(r"\\\1 ", text)


def _exact(match: re.Match[str]) -> str:
    whole, decimals = match[1], match[2]
    return f"\\frac{{{int(whole + decimals)}}}{{1{'0' * len(decimals)}}}"
