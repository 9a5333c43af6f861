"""Watches and alarms in the database."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import JsonValue
from sqlalchemy import Row, delete, func, insert, select, update

from app.audits.population import RUN as AUDITS
from app.audits.population import outside_audits
from app.kit.clock import now
from app.kit.db import Database, insert_in
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.tables import Alarm as AlarmTable
from app.tables import Look as LookTable
from app.tables import Run as RunTable
from app.tables import Watch as WatchTable
from app.webhooks.outbox import Hook, announce, expect
from trueward.wire.watch import Alarm, Finding, Watch, WatchRequest

_RUNS = 50
_ALARMS = AlarmTable.__table__


class RaisedAlarm(NamedTuple):
    """``new``: the alarm was not open before."""

    alarm: Alarm
    new: bool


class LatestLook(NamedTuple):
    """When a watch looked at a run last, and what it showed."""

    watch: str
    at: datetime
    shown: dict[str, JsonValue]


class WatchRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def put(self, name: str, request: WatchRequest, owner: str | None) -> bool:
        """Instead of what the name stood for; it is evaluated anew. False where it stands for a watch of others."""
        spec = request.model_dump(mode="json")
        fresh = {"spec": spec, "owner": owner, "created_at": now(), "evaluated_at": None, "failure": None}
        put = insert_in(self._db.dialect, WatchTable).values(name=name, **fresh)
        put = put.on_conflict_do_update(index_elements=["name"], set_=fresh)
        named = select(WatchTable.name).where(WatchTable.name == name)
        async with self._db.whole.read() as connection:
            taken = (await connection.execute(named)).first() is not None
        async with self._db.write() as connection:
            if taken and (await connection.execute(named)).first() is None:
                return False
            await connection.execute(put)
        return True

    async def delete(self, name: str) -> None:
        async with self._db.write() as connection:
            await connection.execute(delete(WatchTable).where(WatchTable.name == name))
            await connection.execute(delete(LookTable).where(LookTable.watch == name))

    async def watches(self) -> list[Watch]:
        """By name."""
        async with self._db.read() as connection:
            rows = await connection.execute(select(WatchTable.__table__).order_by(WatchTable.name))
            return [_watch(row) for row in rows]

    async def find(self, name: str) -> Watch | None:
        async with self._db.read() as connection:
            rows = await connection.execute(select(WatchTable.__table__).where(WatchTable.name == name))
            row = rows.one_or_none()
        return None if row is None else _watch(row)

    async def record_evaluation(self, name: str, at: datetime, failure: str | None) -> None:
        done = update(WatchTable).where(WatchTable.name == name).values(evaluated_at=at, failure=failure)
        async with self._db.write() as connection:
            await connection.execute(done)

    async def runs(self, wanted: str, most: int = _RUNS) -> list[str]:
        """The run, or with ``*`` at the end the latest that begin so; those of audits only by their names."""
        if not wanted.endswith("*"):
            return [wanted]
        begins = wanted[:-1]
        query = select(RunTable.id).where(RunTable.id.startswith(begins, autoescape=True))
        if not begins.startswith(AUDITS):
            query = query.where(outside_audits(RunTable.id))
        async with self._db.read() as connection:
            found = (await connection.execute(query.order_by(RunTable.created_at.desc()).limit(_RUNS))).scalars()
            # SQLite's LIKE takes A for a
            return [run for run in found if run.startswith(begins)]

    async def record_look(self, run: str, watch: str, shown: dict[str, JsonValue]) -> None:
        """A watch looked at a run now."""
        fresh = {"at": now(), "shown": shown}
        put = insert_in(self._db.dialect, LookTable).values(run=run, watch=watch, **fresh)
        async with self._db.write() as connection:
            await connection.execute(put.on_conflict_do_update(index_elements=["run", "watch"], set_=fresh))

    async def looks(self, run: str) -> list[LatestLook]:
        """The latest of each watch, by their time."""
        query = select(LookTable.__table__).where(LookTable.run == run).order_by(LookTable.at)
        async with self._db.read() as connection:
            return [LatestLook(row.watch, row.at, row.shown) for row in await connection.execute(query)]

    async def raise_alarm(self, watch: Watch, run: str, recipe: str | None, finding: Finding) -> RaisedAlarm | None:
        """The open alarm of this run, signal and cause; a new one, of which the watch's webhook is told, where there is
        none.

        None where the latest was closed and nothing was recorded since that shows it.
        """
        same = (AlarmTable.run == run, AlarmTable.signal == finding.signal, AlarmTable.cause == finding.cause)
        at, body = now(), finding.model_dump(mode="json")
        async with self._db.write() as connection:
            latest = select(_ALARMS).where(*same).order_by(AlarmTable.id.desc()).limit(1)
            known = (await connection.execute(latest)).one_or_none()
            if known is not None and known.state == "closed" and finding.record <= known.record:
                return None
            new = known is None or known.state == "closed"
            name = new_id() if new or known is None else str(known.id)
            seen = {"finding": body, "record": finding.record, "last_seen": at}
            if new:
                made = {"id": name, "watch": watch.name, "run": run, "state": "open", "first_seen": at}
                of_what = {"recipe": recipe, "signal": finding.signal, "cause": finding.cause, "seen": 1}
                await connection.execute(insert(AlarmTable).values(**made, **of_what, **seen))
            else:
                again = update(AlarmTable).where(AlarmTable.id == name)
                await connection.execute(again.values(**seen, seen=AlarmTable.seen + 1))
            alarm = _alarm((await connection.execute(select(_ALARMS).where(AlarmTable.id == name))).one())
            if new and watch.webhook is not None:
                await expect(connection, Hook(watch.webhook, watch.webhook_secret), name, watch.owner)
                # receivers from before there were other events find the alarm's fields in the body itself
                await announce(connection, name, "alarm.raised", alarm, **alarm.model_dump(mode="json"))
        return RaisedAlarm(alarm, new)

    async def alarm(self, name: str) -> Alarm | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(_ALARMS).where(AlarmTable.id == name))).one_or_none()
        return None if row is None else _alarm(row)

    async def alarms(self, run: str | None, state: str | None, wanted: PageRange) -> list[Alarm]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(_ALARMS), AlarmTable.id)
        for column, value in ((AlarmTable.run, run), (AlarmTable.state, state)):
            if value is not None:
                query = query.where(column == value)
        async with self._db.read() as connection:
            return [_alarm(row) for row in await connection.execute(query)]

    async def open_alarms(self, runs: Collection[str]) -> dict[str, int]:
        """How many alarms each run has open; runs without any are left out."""
        query = select(AlarmTable.run, func.count().label("open")).group_by(AlarmTable.run)
        query = query.where(AlarmTable.run.in_(runs), AlarmTable.state == "open")
        async with self._db.read() as connection:
            return {row.run: row.open for row in await connection.execute(query)}

    async def close(self, name: str, reason: str, owner: str | None) -> bool:
        """False where it was not open."""
        closing = update(AlarmTable).where(AlarmTable.id == name, AlarmTable.state == "open")
        values = {"state": "closed", "closed_at": now(), "closed_by": owner, "close_reason": reason}
        async with self._db.write() as connection:
            return (await connection.execute(closing.values(**values))).rowcount == 1


def covers(pattern: str, run: str) -> bool:
    """Whether a watch on that run, or with ``*`` at its end on all that begin so, is one on this run."""
    if not pattern.endswith("*"):
        return run == pattern
    return run.startswith(pattern[:-1]) and (pattern.startswith(AUDITS) or not run.startswith(AUDITS))


def _watch(row: Row[Any]) -> Watch:
    rest: Sequence[str] = ("name", "owner", "created_at", "evaluated_at", "failure")
    return Watch(**row.spec, **{name: row._mapping[name] for name in rest})


def _alarm(row: Row[Any]) -> Alarm:
    values = {name: row._mapping[name] for name in Alarm.model_fields if name != "finding"}
    return Alarm(**values, finding=Finding.model_validate(row.finding))
