"""What a query returned, as plain data, and when two results are the same.

Columns are compared by position, their names do not count. Rows are compared as a bag, duplicates counted, or in
order. NULL equals NULL alone; a text never equals a number, a boolean never an integer; two exact numbers (integers,
decimals) are equal exactly, numbers of which one is a float within a tolerance. Two bags of floats are matched by
clusters of neighbouring values; a cluster wider than four tolerances is no cluster, and the rows are then compared
in sorted order.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from pydantic import JsonValue

Value = tuple[str, JsonValue | Decimal]
"""A kind and a value: ``exact`` numbers, ``float`` numbers, and every other kind under the engine's name."""
Row = tuple[Value, ...]

_NUMBERS = ("exact", "float")


@dataclass(frozen=True, slots=True)
class Result:
    """What the sandbox reported of one query."""

    ready: bool = False
    """Whether the database stood before the run ended: what came after is the query's doing."""
    complete: bool = False
    reads: bool = False
    """Whether the query reads a table of the database, as far as it came."""
    columns: int = 0
    rows: list[Row] = field(default_factory=list)
    unsupported: str = ""
    script_error: str = ""
    query_error: str = ""


def read(stdout: bytes) -> Result:
    """The report of one run; a cut tail or a strange line leaves it incomplete."""
    ready, reads, columns = False, False, 0
    rows: list[Row] = []
    for line in stdout.splitlines():
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            break
        if isinstance(message, list) and len(message) == columns:
            rows.append(tuple(_value(value) for value in message))
        elif not isinstance(message, dict):
            break
        elif "ready" in message:
            ready = True
        elif "columns" in message:
            columns, reads = len(message["columns"]), bool(message.get("reads"))
        elif "end" in message:
            return Result(ready, complete=message["end"] == len(rows), reads=reads, columns=columns, rows=rows)
        else:
            said = {name: str(words) for name, words in message.items()}
            return Result(
                ready,
                unsupported=said.get("unsupported", ""),
                script_error=said.get("script_error", ""),
                query_error=said.get("query_error", ""),
            )
    return Result(ready, columns=columns, rows=rows)


def difference(given: Result, wanted: Result, *, ordered: bool, tolerance: float) -> str | None:
    """Where two complete results first differ; None where they are the same.

    ``tolerance`` is relative, and absolute below 1. Says nothing of the wanted values.
    """
    if given.columns != wanted.columns:
        return "the number of columns differs"
    if len(given.rows) != len(wanted.rows):
        return "the number of rows differs"
    if ordered:
        return _in_order(given.rows, wanted.rows, tolerance)
    return _as_bags(given.rows, wanted.rows, tolerance)


def format_row(row: Row) -> str:
    """A row for people."""
    return "(" + ", ".join("NULL" if kind == "null" else str(value) for kind, value in row) + ")"


def _in_order(given: Sequence[Row], wanted: Sequence[Row], tolerance: float) -> str | None:
    for number, (a, b) in enumerate(zip(given, wanted, strict=True), start=1):
        if not all(_same(x, y, tolerance) for x, y in zip(a, b, strict=True)):
            return f"row {number} differs: {format_row(a)}"
    return None


def _as_bags(given: list[Row], wanted: list[Row], tolerance: float) -> str | None:
    """Floats become the numbers of their clusters, then the bags are counted."""
    keys = [_keys(column, tolerance) for column in zip(*given, *wanted, strict=True)]
    if None in keys:
        return _in_order(sorted(given, key=_rank), sorted(wanted, key=_rank), tolerance)

    def bag(rows: list[Row]) -> Counter[tuple[object, ...]]:
        return Counter(tuple(key(value) for key, value in zip(keys, row, strict=True) if key) for row in rows)

    extra = bag(given) - bag(wanted)
    if not extra:
        return None
    first = next(row for row in given if bag([row]).keys() & extra.keys())
    return f"a row is not wanted, or not so often: {format_row(first)}"


def _keys(column: Sequence[Value], tolerance: float) -> Callable[[Value], object] | None:
    """What stands for a column's values in a bag; None where its floats form no clear clusters."""
    if not any(kind == "float" for kind, _ in column):
        return _written
    clusters: dict[float, int] = {}
    start = before = None
    for number in sorted({_number(value) for value in column if value[0] in _NUMBERS}):
        if before is None or start is None or not _close(number, before, tolerance):
            start = number
        elif not _close(number, start, 4 * tolerance):
            return None
        clusters[number] = clusters[start] if start in clusters else len(clusters)
        before = number
    return lambda value: clusters[_number(value)] if value[0] in _NUMBERS else _written(value)


def _written(value: Value) -> object:
    """A value as it is counted: numbers as text, for those that a query chooses to share a hash are slow to count."""
    kind, content = value
    if not isinstance(content, Decimal):
        return value
    digits = format(content, "f")
    return kind, (digits.rstrip("0").rstrip(".") if "." in digits else digits) if content else "0"


def _same(a: Value, b: Value, tolerance: float) -> bool:
    if "float" in (a[0], b[0]) and a[0] in _NUMBERS and b[0] in _NUMBERS:
        return _close(_number(a), _number(b), tolerance)
    return a == b


def _close(a: float, b: float, tolerance: float) -> bool:
    return a == b or (math.isfinite(a - b) and abs(a - b) <= tolerance * max(1.0, min(abs(a), abs(b))))


def _number(value: Value) -> float:
    return float(str(value[1]))


def _rank(row: Row) -> tuple[tuple[str, float, str], ...]:
    """An order of rows in which numbers of either kind stand by size."""
    return tuple(
        ("number", _number(value), "") if value[0] in _NUMBERS else (value[0], 0.0, str(value[1])) for value in row
    )


def _value(raw: JsonValue) -> Value:
    if raw is None:
        return ("null", None)
    if isinstance(raw, bool):
        return ("boolean", raw)
    if isinstance(raw, int):
        return ("exact", Decimal(raw))
    if isinstance(raw, float):
        return ("float", raw)
    if isinstance(raw, str):
        return ("text", raw)
    if isinstance(raw, dict) and len(raw) == 1:
        [(kind, value)] = raw.items()
        if kind == "float":
            return (str(value), None) if value == "nan" else ("float", float(str(value)))
        if kind == "decimal":
            return ("exact", Decimal(str(value)))
        return (kind, json.dumps(value))
    return ("unknown", json.dumps(raw))
