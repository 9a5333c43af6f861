"""Rows as lines of JSON, the same for both databases, to the letter: what is JSON in a column travels as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ColumnElement, Select, Table, Text, cast, select

from app.path.rows import Named, Value
from app.tables.base import UtcTime


def reading(table: Table, dialect: str) -> Select[Any]:
    """All rows in the order of their keys, byte by byte."""
    columns = [
        cast(column, Text).label(column.name) if isinstance(column.type, JSON) else column for column in table.columns
    ]
    return select(*columns).order_by(*(_ordered(column, dialect) for column in table.primary_key))


def line_of(row: Mapping[str, Any]) -> str:
    told = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"


class LineReader:
    """Makes of a table's lines what the driver of a dialect takes. Raises ``ValueError`` for what is no such line."""

    def __init__(self, table: Table, dialect: str) -> None:
        self._names = {column.name for column in table.columns}
        self._times = [column.name for column in table.columns if isinstance(column.type, UtcTime)]
        self._dialect = dialect

    def row(self, line: str) -> Named:
        row: Named = json.loads(line)
        if row.keys() != self._names:
            raise ValueError(f"a line has other columns than the table: {sorted(self._names ^ row.keys())}")
        for name in self._times:
            row[name] = self._moment(row[name])
        return row

    def _moment(self, value: Value) -> Value:
        if value is None:
            return None
        at = datetime.fromisoformat(str(value))
        return at if self._dialect == "postgresql" else at.strftime("%Y-%m-%d %H:%M:%S.%f")


def _ordered(column: Any, dialect: str) -> ColumnElement[Any]:
    ordered: ColumnElement[Any] = (
        column.collate("C") if dialect == "postgresql" and isinstance(column.type, Text) else column
    )
    return ordered
