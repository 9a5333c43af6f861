r"""Matrices as rows of texts: ``\begin{pmatrix}1&2\\3&4\end{pmatrix}``, ``[[1,2],[3,4]]``, with a factor before.

Sums and products of matrices are those of :mod:`~verifiers.math.reading.matrix_algebra`. Not covered: block matrices.
"""

from __future__ import annotations

import re

MOST_ENTRIES = 144

_ENVIRONMENT = re.compile(
    r"(?P<factor>[^&]{0,80}?)(?:\\cdot\s?)?[(\[]?\s?\\begin\s?\{(?P<name>[pbB]?matrix|smallmatrix|array)\}(?:\s?\{[clr|\s]*\})?"
    r"(?P<inside>[^&]*(?:&[^&]*)*?)\\end\s?\{(?P=name)\}\s?[)\]]?"
)
_ROW = re.compile(r"\\\\(?:\s?\[[^\]]{0,10}\])?")
_NESTED = re.compile(r"\[\s?\[([^\[\]]{1,1500}(?:\]\s?,\s?\[[^\[\]]{1,200})*)\]\s?\]")


def matrix(text: str) -> tuple[tuple[str, ...], ...] | None:
    """The rows of a text that is one matrix, else None."""
    nested = _NESTED.fullmatch(text)
    if nested is not None:
        rows = [row.split(",") for row in re.split(r"\]\s?,\s?\[", nested[1])]
        return _checked(rows, "")
    found = _ENVIRONMENT.fullmatch(text) if text.count("\\begin") == 1 else None
    if found is None:
        return None
    rows = [row.split("&") for row in _ROW.split(found["inside"].replace("\\hline", "")) if row.strip()]
    return _checked(rows, found["factor"].strip())


def _checked(rows: list[list[str]], factor: str) -> tuple[tuple[str, ...], ...] | None:
    width = len(rows[0]) if rows else 0
    if not width or any(len(row) != width for row in rows) or len(rows) * width > MOST_ENTRIES:
        return None
    if any(not entry.strip() for row in rows for entry in row):
        return None
    if not factor:
        return tuple(tuple(entry.strip() for entry in row) for row in rows)
    factor = "-1" if factor == "-" else factor
    return tuple(tuple(f"({factor})({entry.strip()})" for entry in row) for row in rows)
