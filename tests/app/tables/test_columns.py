"""What goes into a column comes out of it, on both databases."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import JsonValue
from sqlalchemy import insert, select

from app import tables
from app.kit.db import Database


async def stored(db: Database, at: datetime, detail: dict[str, JsonValue]) -> tuple[datetime, dict[str, JsonValue]]:
    async with db.write() as connection:
        await connection.execute(insert(tables.RunMark).values(id="m", run="r", at=at, kind="k", detail=detail))
    async with db.read() as connection:
        row = (await connection.execute(select(tables.RunMark.at, tables.RunMark.detail))).one()
    return row.at, row.detail


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-7))])
async def test_moments_come_back_in_utc(db: Database, zone: timezone) -> None:
    at = datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=zone)
    found, _ = await stored(db, at, {})
    assert found == at
    assert found.utcoffset() == timedelta(0)


async def test_json_comes_back_to_the_letter(db: Database) -> None:
    detail: dict[str, JsonValue] = {"b": 1e22, "a": -0.0, "deep": [1.0, 1, None, "\u00e9\u2028", 2**70]}
    _, found = await stored(db, datetime.now(UTC), detail)
    assert json.dumps(found) == json.dumps(detail)
