"""Rows that a statement is given, as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import CTE, JSON, Text, cast, column, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection


def make_table(connection: AsyncConnection, name: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> CTE:
    """Rows of texts as a table. In one parameter: a list of values is written anew for each number of rows, which took
    longer than the query."""
    body = literal(json.dumps([list(row) for row in rows]), Text)
    if connection.dialect.name == "sqlite":
        entry = func.json_each(body).table_valued("value")
        told = [func.json_extract(entry.c.value, f"$[{place}]").label(one) for place, one in enumerate(columns)]
    else:
        entry = func.json_array_elements(cast(body, JSON)).table_valued(column("value", JSON))
        told = [entry.c.value[place].as_string().label(one) for place, one in enumerate(columns)]
    return select(*told).select_from(entry).cte(name)
