r"""A quantity's text without its setting: ``9.8\,\text{m/s}^{2}`` becomes ``9.8 m/s^2``.

LaTeX wrappers and spaces, superscripts, typographic signs and degrees. One pass each, linear.
"""

from __future__ import annotations

import re

_SET = r"\\(?:text|textrm|mathrm|mathbf|textbf|rm|operatorname|unit|si|boxed)(?![A-Za-z])\s?"
_GROUP = re.compile(_SET + r"\{([^{}]*)\}")
_WRAPPER = re.compile(_SET)
_SPACE = re.compile(r"\\[,;:! ]|~|\\quad|\\qquad|[\u00a0\u2009\u202f]")
# 5{,}000, 5\\,000, 5 000
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:(?:\{,\}|\\,|[ \u00a0\u2009\u202f])\d{3})+(?![\d./])")
_NO_DIGIT = re.compile(r"\D+")
_SIGNS = {
    r"^{\circ}": "°", r"^\circ": "°", r"\circ": "°", r"\degree": "°", "º": "°", "℃": "°C", "℉": "°F",
    r"\mu": "µ", r"\mu ": "µ", "μ": "µ", r"\Omega": "Ω", "\u2126": "Ω",
    r"\AA": "angstrom", "Å": "angstrom", "\u212b": "angstrom", r"\%": "%", r"\cdot": "·", "⋅": "·", "∙": "·",
    r"\times": "×", r"\approx": "≈", "−": "-", "–": "-", "‐": "-", "**": "^", "⁄": "/",
    "$": " ", r"\(": " ", r"\)": " ", r"\left": "", r"\right": "",
}  # fmt: skip
_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True)))
_INSIDE = r"\{((?:[^{}]|\{[^{}]{0,20}\})*)\}"
_FRACTION = re.compile(rf"\\[dt]?frac\s?{_INSIDE}\s?{_INSIDE}")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")


def plain(text: str) -> str:
    """The text with blanks, ``^``, ``*``-free products ``·`` and ``×``, and parentheses for braces."""
    text = _THOUSANDS.sub(lambda number: _NO_DIGIT.sub("", number[0]), text)
    text = _SPACE.sub(" ", _WRAPPER.sub("", _GROUP.sub(r"\1", text)))
    text = _SIGN.sub(lambda sign: _SIGNS[sign[0]], text)
    text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = _SUPERSCRIPT.sub(lambda raised: "^" + raised[0].translate(_RAISED), text)
    return " ".join(text.replace("{", "(").replace("}", ")").split())
