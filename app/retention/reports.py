"""What completed audits show of single records: a report keeps its numbers, and loses the entries of what is gone."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import TypeGuard

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import Text, cast, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.retention.spec import Spec, is_owned
from app.tables import Audit

_RECORD = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


async def forget_records(connection: AsyncConnection, spec: Spec, records: Set[str]) -> int:
    """How many reports have lost an entry: an example with its text, a row of a table, a record in a list."""
    reports = select(Audit.id).where(Audit.report.is_not(None), is_owned(spec.project, Audit.owner))
    changed = 0
    for audit in (await connection.execute(reports)).scalars().all():
        text = (await connection.execute(select(cast(Audit.report, Text)).where(Audit.id == audit))).scalar_one()
        named = records & set(_RECORD.findall(text))
        if named:
            report = without(from_json(text), named)
            await connection.execute(update(Audit).where(Audit.id == audit).values(report=report))
            changed += 1
    return changed


def without(value: JsonValue, records: Set[str]) -> JsonValue:
    """Leaves out the innermost entries of lists that name one of the records."""
    if isinstance(value, dict):
        return {name: without(item, records) for name, item in value.items()}
    if isinstance(value, list):
        return [without(item, records) for item in value if not _names(item, records)]
    return value


def _names(item: JsonValue, records: Set[str]) -> bool:
    """Itself, not by entries of lists within."""
    if isinstance(item, dict):
        return any(_names(part, records) for part in item.values() if not isinstance(part, list))
    if _is_row(item):
        return any(isinstance(cell, str) and cell in records for cell in item)
    return isinstance(item, str) and item in records


def _is_row(item: JsonValue) -> TypeGuard[list[JsonValue]]:
    """Of a table: its cells are no entries of their own."""
    return isinstance(item, list) and any(not isinstance(cell, str) or _RECORD.fullmatch(cell) is None for cell in item)
