r"""Determinants written out: ``\begin{vmatrix} a & b \\ c & d \end{vmatrix}`` as ``((a)*(d)-(b)*(c))``.

Up to four rows; ``\det`` before a matrix and bars around one are the same. Larger ones stay as they are.
"""

from __future__ import annotations

import re

MOST_ROWS = 4
LONGEST = 1_400

_DETERMINANT = re.compile(
    r"(?:\\begin\s?\{vmatrix\}(?P<bars>(?:(?!\\begin|\\end).)*)\\end\s?\{vmatrix\}"
    r"|\\det\s?\(?\s?\\begin\s?\{[pb]?matrix\}(?P<named>(?:(?!\\begin|\\end).)*)\\end\s?\{[pb]?matrix\}\s?\)?"
    r"|\|\s?\\begin\s?\{matrix\}(?P<plain>(?:(?!\\begin|\\end).)*)\\end\s?\{matrix\}\s?\|)",
    re.DOTALL,
)
_ROW = re.compile(r"\\\\(?:\s?\[[^\]]{0,10}\])?")


def expand_determinants(text: str) -> str:
    """The text with every determinant in it as an expression, all else as it was."""
    return _DETERMINANT.sub(_expanded, text)


def _expanded(match: re.Match[str]) -> str:
    inside = match["bars"] or match["named"] or match["plain"] or ""
    rows = [[entry.strip() for entry in row.split("&")] for row in _ROW.split(inside) if row.strip()]
    if not 1 <= len(rows) <= MOST_ROWS or any(len(row) != len(rows) or not all(row) for row in rows):
        return match[0]
    found = f"({_laplace(rows)})"
    return found if len(found) <= LONGEST else match[0]


def _laplace(rows: list[list[str]]) -> str:
    if len(rows) == 1:
        return f"({rows[0][0]})"
    terms = []
    for place, entry in enumerate(rows[0]):
        minor = [row[:place] + row[place + 1 :] for row in rows[1:]]
        terms.append(f"{'-' if place % 2 else '+'}({entry})*({_laplace(minor)})")
    return "".join(terms).removeprefix("+")
