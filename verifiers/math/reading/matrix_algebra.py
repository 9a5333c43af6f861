r"""Sums, differences, products, whole powers and transposes of written matrices, as one matrix of texts.

``\begin{pmatrix}1\\2\end{pmatrix} + 2\begin{pmatrix}3\\4\end{pmatrix}`` is the matrix of ``(1)+(2)*(3)`` and so on;
others compare its entries. Within bounds on their number, size and length; not covered: inverses, brackets around a
sum.
"""

from __future__ import annotations

import re

from verifiers.rational import rational

Rows = tuple[tuple[str, ...], ...]

MOST_MATRICES = 6
MOST_ROWS = 6
MOST_POWER = 3
LONGEST_TUPLES = 400
LONGEST = 1_400
"""Characters of one entry."""

_MATRIX = re.compile(
    r"(?P<open>[(\[])?\s?\\begin\s?\{(?P<name>[pbB]?matrix|smallmatrix|array)\}(?:\s?\{[clr|\s]{0,20}\})?"
    r"(?P<inside>[^\\&]{0,200}(?:(?:&|\\(?!begin|end))[^\\&]{0,200}){0,200})\\end\s?\{(?P=name)\}\s?(?P<close>[)\]])?"
    r"(?:\s?\^\s?\{?\s?(?:(?P<turned>T|\\top|\\intercal|\\text\s?\{?\s?T\s?\}?|\\tran)|(?P<power>\d))\s?\}?)?"
)
_ROW = re.compile(r"\\\\(?:\s?\[[^\]]{0,10}\])?")
_TIMES = re.compile(r"\s*(?:\\cdot|\\times|\*)?\s*")
_SCALAR = re.compile(r"[\w\\{}()./^*+\s-]{0,80}")
_PAIRS = {"(": ")", "[": "]"}


def evaluate_matrices(text: str) -> Rows | None:
    """The matrix that an expression of matrices comes to; None where it is no such expression, or out of bounds."""
    if not 0 < text.count("\\begin") <= MOST_MATRICES:
        return None
    total: Rows | None = None
    term: Rows | None = None
    at = 0
    for found in _MATRIX.finditer(text):
        rows = _rows(found)
        gap = text[at : found.start()].strip()
        at = found.end()
        if rows is None:
            return None
        if term is not None and _TIMES.fullmatch(gap):
            term = _product(term, rows)
        elif term is not None and gap[:1] not in ("+", "-"):
            return None
        else:
            total = term if total is None or term is None else _sum(total, term)
            if term is not None and total is None:
                return None
            term = _scaled(gap, rows)
        if term is None:
            return None
    if term is None:
        return None
    after = text[at:].strip()
    if after:
        lead = _TIMES.match(after)
        term = _scaled(after[lead.end() :], term) if lead is not None and lead[0].strip() else None
    return term if total is None or term is None else _sum(total, term)


_ENTRY = r"(?:(?!\\[lr]angle)[^(),<>]){1,60}"
_TUPLE = re.compile(rf"(?:\\langle|\()(?P<inside>{_ENTRY}(?:,{_ENTRY}){{1,5}})(?:\\rangle|\))")


def evaluate_tuples(text: str) -> str:
    """``(1, 0) + t(2, 4)`` as one tuple; empty where it is no sum or multiple of tuples."""
    if len(text) > LONGEST_TUPLES or "\\begin" in text or _TUPLE.fullmatch(text):
        return ""
    written, count = _TUPLE.subn(_column, text)
    rows = evaluate_matrices(written) if count else None
    return "" if rows is None or len(rows[0]) > 1 else f"({', '.join(entry for [entry] in rows)})"


def _column(found: re.Match[str]) -> str:
    return "\\begin{pmatrix}" + "\\\\".join(found["inside"].split(",")) + "\\end{pmatrix}"


def is_same_matrix(one: str, other: str) -> bool | None:
    """Whether two expressions of matrices of numbers come to the same; None where one is not read."""
    values = []
    for rows in map(evaluate_matrices, (one, other)):
        if rows is None:
            return None
        values.append([[rational(entry) for entry in row] for row in rows])
    if any(value is None for rows in values for row in rows for value in row):
        return None
    return values[0] == values[1]


def _rows(found: re.Match[str]) -> Rows | None:
    if _PAIRS.get(found["open"] or "") != found["close"]:
        return None
    rows = tuple(tuple(entry.strip() for entry in row.split("&")) for row in _ROW.split(found["inside"]) if row.strip())
    if not 0 < len(rows) <= MOST_ROWS or not 0 < len(rows[0]) <= MOST_ROWS:
        return None
    if any(len(row) != len(rows[0]) or not all(row) for row in rows):
        return None
    if found["turned"]:
        return tuple(zip(*rows, strict=True))
    result: Rows | None = rows
    power = int(found["power"] or 1)
    if not 1 <= power <= MOST_POWER:
        return None
    for _ in range(power - 1):
        result = None if result is None else _product(result, rows)
    return result


def _scaled(factor: str, rows: Rows) -> Rows | None:
    """Times what stands before it: a sign, a number or a letter, a sum in brackets; and a sign of multiplication."""
    sign = "-" if factor.startswith("-") else ""
    factor = factor.removeprefix("+").removeprefix("-").strip()
    for times in ("\\cdot", "\\times", "*"):
        factor = factor.removesuffix(times).strip()
    if not factor:
        return rows if not sign else _checked(tuple(tuple(f"(-({entry}))" for entry in row) for row in rows))
    if not _is_scalar(factor):
        return None
    return _checked(tuple(tuple(f"({sign}({factor})*({entry}))" for entry in row) for row in rows))


def _is_scalar(text: str) -> bool:
    """Whether nothing in it is added outside of brackets, and its brackets match."""
    depth = 0
    for sign in text:
        depth += (sign in "({") - (sign in ")}")
        if depth < 0 or (depth == 0 and sign in "+-"):
            return False
    return depth == 0 and _SCALAR.fullmatch(text) is not None


def _sum(one: Rows, other: Rows) -> Rows | None:
    if (len(one), len(one[0])) != (len(other), len(other[0])):
        return None
    pairs = zip(one, other, strict=True)
    return _checked(tuple(tuple(f"(({a})+({b}))" for a, b in zip(*rows, strict=True)) for rows in pairs))


def _product(one: Rows, other: Rows) -> Rows | None:
    if len(one[0]) != len(other):
        return None
    columns = tuple(zip(*other, strict=True))
    return _checked(tuple(tuple(_inner(row, column) for column in columns) for row in one))


def _inner(row: tuple[str, ...], column: tuple[str, ...]) -> str:
    return "(" + "+".join(f"({a})*({b})" for a, b in zip(row, column, strict=True)) + ")"


def _checked(rows: Rows) -> Rows | None:
    return rows if all(len(entry) <= LONGEST for row in rows for entry in row) else None
