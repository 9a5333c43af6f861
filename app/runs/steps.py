"""A run's numbers step by step, for whoever follows it: counted by the database, a bounded number of records a page."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.selectable import FromClause

from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import moment_of
from app.runs.points import Point, bins_of, points_of
from app.runs.series import Ledger, ledger_of, part_of, rows_of
from trueward.steps import StepNumbers, StepPage

MOST = 50_000
"""Records of a page beyond which it ends; the first of its steps is there whole."""
SAMPLES = 8


@dataclass(slots=True)
class _Beside:
    """What is told of a step beside its point."""

    latest: str = ""
    outcomes: dict[str, int] = field(default_factory=dict)
    samples: list[str] = field(default_factory=list)


class StepsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def page(self, run: str, after: int | None, limit: int) -> StepPage:
        """The steps behind ``after``."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            sizes = {row.step: row.records for row in await connection.execute(_sizes(ledger, run, after, limit + 1))}
            wanted = _bounded(sizes, limit)
            if not wanted:
                return StepPage(steps=[])
            among = (ledger.run == run, ledger.step >= wanted[0], ledger.step <= wanted[-1])
            part = part_of(ledger, ledger.step, *among)
            rows = await rows_of(connection, part)
            beside = await _beside(connection, part)
        counted = await asyncio.to_thread(lambda: points_of(rows, bins_of(row.score for row in rows)))
        points = {point.place: point for point in counted}
        steps = [_numbers(points[step], beside[step]) for step in wanted if step in points and step in beside]
        return StepPage(steps=steps, next=wanted[-1] if len(wanted) < len(sizes) else None)


def _sizes(ledger: Ledger, run: str, after: int | None, limit: int) -> Any:
    query: Any = select(ledger.step, func.count().label("records")).where(ledger.run == run, ledger.step.is_not(None))
    if after is not None:
        query = query.where(ledger.step > after)
    return query.group_by(ledger.step).order_by(ledger.step).limit(limit)


def _bounded(sizes: Mapping[int, int], limit: int) -> list[int]:
    """The first steps, at most so many, that together have at most ``MOST`` records; always one."""
    wanted: list[int] = []
    total = 0
    for step, records in sizes.items():
        total += records
        if len(wanted) == limit or (wanted and total > MOST):
            break
        wanted.append(step)
    return wanted


async def _beside(connection: AsyncConnection, part: FromClause) -> dict[int, _Beside]:
    found: dict[int, _Beside] = {}
    counts = select(
        part.c.place, part.c.outcome, func.count().label("records"), func.max(part.c.record).label("latest")
    )
    for row in await connection.execute(counts.group_by(part.c.place, part.c.outcome)):
        step = found.setdefault(row.place, _Beside())
        step.outcomes[row.outcome] = row.records
        step.latest = max(step.latest, row.latest)
    for row in await connection.execute(_samples(part)):
        found.setdefault(row.place, _Beside()).samples.append(row.record)
    return found


def _samples(part: FromClause) -> Select[Any]:
    """A few records of each step: the first of each group before the second of any."""
    member = func.row_number().over(partition_by=(part.c.place, part.c.member), order_by=part.c.record)
    ranked = select(part.c.place, part.c.record, member.label("member")).subquery()
    order = func.row_number().over(partition_by=ranked.c.place, order_by=(ranked.c.member, ranked.c.record))
    some = select(ranked.c.place, ranked.c.record, order.label("number")).subquery()
    return select(some.c.place, some.c.record).where(some.c.number <= SAMPLES).order_by(some.c.place, some.c.number)


def _numbers(point: Point, beside: _Beside) -> StepNumbers:
    return StepNumbers(
        step=point.place,
        records=point.records,
        reward=point.score,
        components=point.components,
        outcomes=beside.outcomes,
        causes=point.causes,
        groups=point.groups,
        flat=point.flat,
        length=point.length,
        samples=beside.samples,
        age_s=max(0.0, (now() - moment_of(beside.latest)).total_seconds()),
    )
