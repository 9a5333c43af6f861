"""What a deletion would take, without taking it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select, union

from app.kit.db import Database
from app.retention.erasing import RECORDS
from app.retention.spec import Spec, due, is_owned
from app.retention.subject import Samples
from app.tables import Label


async def count(db: Database, spec: Spec) -> dict[str, int]:
    """Rows by table. Samples are at most so many."""
    if spec.subject is not None:
        return dict(await _of_subject(db, spec))
    found: Counter[str] = Counter()
    async with db.read() as connection:
        for name, table in RECORDS.items():
            query = select(func.count()).select_from(table).where(_due(spec, table))
            found[name] = (await connection.execute(query)).scalar_one()
        samples = union(*(select(table.sample).where(_due(spec, table)) for table in RECORDS.values()))
        query = select(func.count()).select_from(samples.subquery())
        found["samples"] = (await connection.execute(query)).scalar_one()
    return dict(found)


def _due(spec: Spec, table: Any) -> ColumnElement[bool]:
    if spec.run is not None:
        return and_(table.run == spec.run, is_owned(spec.project, table.owner))
    return due(spec.cutoffs, table.record, table.owner)


async def _of_subject(db: Database, spec: Spec) -> Counter[str]:
    found: Counter[str] = Counter(dict.fromkeys((*RECORDS, "samples", "labels"), 0))
    phase, place, last = Samples(), "", False
    while not last:
        async with db.read() as connection:
            page = await phase.find(connection, spec, place)
            names = [row.fingerprint for row in page.rows]
            for name, table in (*RECORDS.items(), ("labels", Label)):
                query = select(func.count()).where(table.sample.in_(names), is_owned(spec.project, table.owner))
                found[name] += (await connection.execute(query)).scalar_one()
        found["samples"] += len(names)
        place, last = page.place, page.last
    return found
