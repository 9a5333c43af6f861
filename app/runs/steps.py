"""A run's numbers step by step, for whoever follows it: a bounded number of records a page."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select

from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import moment_of
from app.runs.points import RecordRow, RunPoint, bins_of, points_of, training
from app.runs.series import Ledger, ledger_of, part_of, rows_of
from trueward.wire.step import StepNumbers, StepPage

MOST = 50_000
"""Records of a page beyond which it ends; the first of its steps is there whole."""
SAMPLES = 8


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
            rows = await rows_of(connection, ledger, part)
        steps = await asyncio.to_thread(_numbers, rows)
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


def _numbers(rows: Sequence[RecordRow]) -> list[StepNumbers]:
    """One a step, in order."""
    steps: defaultdict[int, list[RecordRow]] = defaultdict(list)
    for row in rows:
        steps[row.place].append(row)
    steps.update({step: list(training(of_step)) for step, of_step in steps.items()})
    counted = [row for of_step in steps.values() for row in of_step]
    points = points_of(counted, bins_of(row.score for row in counted))
    return [_of_step(point, steps[point.place]) for point in points]


def _of_step(point: RunPoint, rows: Sequence[RecordRow]) -> StepNumbers:
    return StepNumbers(
        step=point.place,
        records=point.records,
        reward=point.score,
        components=point.components,
        outcomes=Counter(row.outcome for row in rows),
        causes=point.causes,
        groups=point.groups,
        flat=point.flat,
        length=point.length,
        samples=_samples(rows),
        age_s=max(0.0, (now() - moment_of(point.last_record)).total_seconds()),
    )


def _samples(rows: Sequence[RecordRow]) -> list[str]:
    """A few records of a step: the first of each group before the second of any."""
    seen: Counter[str | None] = Counter()
    ranked = []
    for row in sorted(rows, key=lambda row: row.record):
        ranked.append((seen[row.member], row.record))
        seen[row.member] += 1
    return [record for _, record in sorted(ranked)[:SAMPLES]]
