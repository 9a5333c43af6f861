"""Erases records of the ledger with what names them, so that nothing that stays refers to what is gone.

A sample goes with the last thing that refers to it. The group of a reward that is gone cannot be computed again, nor
what its run learned from the request: their request is no longer named, as that of rewards from before there were
replays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, false, func, or_, select, text, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.idempotency.service import KEPT
from app.kit.clock import now
from app.kit.tokens import first_id
from app.retention.phase import Rows
from app.tables import (
    Alarm,
    Delivery,
    DrawItem,
    Idempotency,
    Job,
    Label,
    Reference,
    Reward,
    RunState,
    Sample,
    Table,
    Verdict,
)

_STEM = 10
"""Characters of an id that are its time; an idempotency key's records have those of its seed."""
_NAMES = 400
RECORDS: dict[str, type[Verdict] | type[Reward]] = {"verdicts": Verdict, "rewards": Reward}


async def lock(connection: AsyncConnection) -> None:
    """Keeps the ledger's writer out until the transaction ends: else it could find a sample stored that is gone when
    its record comes. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text("LOCK TABLE samples IN SHARE ROW EXCLUSIVE MODE"))


async def erase_records(connection: AsyncConnection, table: str, rows: Rows) -> Counter[str]:
    """Rows with ``record``, ``sample``, ``run`` and, of rewards, ``request`` and ``group``."""
    gone: Counter[str] = Counter()
    records = [row.record for row in rows]
    if table == "rewards":
        await _unname_groups(connection, rows)
    gone[table] += await erase(connection, RECORDS[table], RECORDS[table].record, records)
    gone["idempotency"] += await _forget_answers(connection, records)
    gone["samples"] += await erase_unused(connection, {row.sample for row in rows})
    return gone


async def _unname_groups(connection: AsyncConnection, rows: Rows) -> None:
    """What is left of the groups of these rewards is known not to be computed again."""
    for run in {row.run for row in rows}:
        torn = [row for row in rows if row.run == run and row.request is not None]
        for some in (torn[start : start + _NAMES] for start in range(0, len(torn), _NAMES)):
            requests, groups = {row.request for row in some}, {row.group for row in some}
            alone = Reward.group_.is_(None) if None in groups else false()
            mates = or_(Reward.group_.in_(groups - {None}), alone)
            priced = update(Reward).where(Reward.run == run, Reward.request.in_(requests), mates)
            await connection.execute(priced.values(request=None))
            learned = update(RunState).where(RunState.run == run, RunState.request.in_(requests))
            await connection.execute(learned.values(request=None))


async def erase_unused(connection: AsyncConnection, samples: Iterable[str]) -> int:
    """Those that no record, label, draw and corrected reference refers to."""
    return await erase(connection, Sample, Sample.fingerprint, samples, ~is_referred_to(Sample.fingerprint))


def is_referred_to(fingerprint: Any) -> ColumnElement[bool]:
    """Whether anything refers to the sample in a column."""
    return or_(
        *(exists().where(table.sample == fingerprint) for table in (Verdict, Reward, Label, DrawItem, Reference))
    )


async def erase(
    connection: AsyncConnection, table: type[Table], column: Any, names: Iterable[Any], *also: ColumnElement[bool]
) -> int:
    """How many rows of the table, whose column has one of these, are gone."""
    gone = 0
    for some in chunks(names):
        within = tuple_(*column).in_(some) if isinstance(column, tuple) else column.in_(some)
        gone += (await connection.execute(delete(table).where(within, *also))).rowcount
    return gone


async def erase_with_deliveries(
    connection: AsyncConnection, table: type[Job] | type[Alarm], names: Sequence[str]
) -> Counter[str]:
    """Jobs or alarms, with what is posted about them."""
    gone = Counter({table.__tablename__: await erase(connection, table, table.id, names)})
    return gone + Counter(deliveries=await erase(connection, Delivery, Delivery.subject, names))


async def _forget_answers(connection: AsyncConnection, records: Sequence[str]) -> int:
    """Answers that are kept under idempotency keys and hold one of the records."""
    kept = first_id(now() - KEPT - timedelta(hours=1))
    young = {record for record in records if record >= kept}
    found: list[tuple[str, str]] = []
    for some in chunks({record[:_STEM] for record in young}):
        query = select(Idempotency.scope, Idempotency.key, Idempotency.body).where(Idempotency.body.is_not(None))
        rows = await connection.execute(query.where(func.substr(Idempotency.seed, 1, _STEM).in_(some)))
        found += [(row.scope, row.key) for row in rows if any(record in row.body for record in young)]
    return await erase(connection, Idempotency, (Idempotency.scope, Idempotency.key), found)


def chunks(names: Iterable[Any]) -> list[list[Any]]:
    """As many at once as both databases take in one statement."""
    ordered = sorted(names)
    return [ordered[start : start + _NAMES] for start in range(0, len(ordered), _NAMES)]
