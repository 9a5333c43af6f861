"""CSV that a spreadsheet opens without obeying it.

A text that begins with = + - @ or a control character is a formula to a spreadsheet. It is written behind an
apostrophe, which :func:`unescape_cell` takes off again (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")


def format_csv(rows: Iterable[Sequence[str | float | None]]) -> str:
    """Rows of texts and numbers; None is an empty cell."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([escape_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def escape_cell(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unescape_cell(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
