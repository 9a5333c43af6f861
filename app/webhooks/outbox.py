"""The outbox: what is to be posted, written in the transaction that makes it true.

A row is made with what the event will be about (:func:`expect`) and becomes due in the transaction in which the event
happens (:func:`announce`), so a kill at any moment loses none and invents none. A try takes the row for ``LEASE``: one
that is never heard of again, because its server was killed, is made anew after that. So an event is delivered at least
once, always under the same id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import JsonValue
from pydantic_core import to_json
from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.clock import compute_cutoff, now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.tables import Alarm
from app.tables import Delivery as DeliveryTable
from app.webhooks.target import check_url, redact_url
from trueward.wire.base import Wire
from trueward.wire.webhook import Delivery, DeliveryState, EventType, WebhookFields

LEASE = timedelta(seconds=30)
"""Longer than a try may take."""
_KEPT = timedelta(days=7)
_ROW = DeliveryTable.__table__


class Hook(NamedTuple):
    """Where to post, and what to sign with."""

    url: str
    secret: str | None


class Due(NamedTuple):
    """A delivery whose next try is this server's. ``attempts`` counts it."""

    id: str
    host: str
    url: str
    secret: str | None
    body: str
    attempts: int


def hook_of(fields: WebhookFields, *, loopback: bool) -> Hook | None:
    """Raises :class:`InvalidRequest` for a URL that is not to be called."""
    if fields.webhook is None:
        return None
    check_url(fields.webhook, loopback=loopback)
    return Hook(fields.webhook, fields.webhook_secret)


async def expect(connection: AsyncConnection, hook: Hook, subject: str, owner: str | None) -> None:
    """Something will happen to the subject, of which the hook is told."""
    whose = {"id": new_id(), "subject": subject, "owner": owner, "created_at": now()}
    where = {"url": hook.url, "host": urlsplit(hook.url).hostname or "", "secret": hook.secret}
    begun = {"signed": hook.secret is not None, "state": "waiting", "attempts": 0}
    await connection.execute(insert(DeliveryTable).values(**whose, **where, **begun))


async def is_expected(connection: AsyncConnection, subject: str) -> bool:
    """Whether anybody is to be told of the subject."""
    query = select(DeliveryTable.id).where(DeliveryTable.subject == subject, DeliveryTable.state == "waiting")
    return (await connection.execute(query)).first() is not None


async def announce(
    connection: AsyncConnection, subject: str, event: EventType, data: Wire, **beside: JsonValue
) -> None:
    """It happened: whoever waits for it is told. ``beside``: more fields of the body, beside the standard's."""
    at = now()
    told = {"type": event, "timestamp": at.isoformat(), "data": data.model_dump(mode="json"), **beside}
    due = {"event": event, "body": to_json(told).decode(), "state": "pending", "due_at": at}
    waiting = update(DeliveryTable).where(DeliveryTable.subject == subject, DeliveryTable.state == "waiting")
    await connection.execute(waiting.values(**due))


async def forget(connection: AsyncConnection, subjects: Any) -> None:
    """Nothing will happen to these subjects: a list, or a query that gives them."""
    gone = delete(DeliveryTable).where(DeliveryTable.subject.in_(subjects), DeliveryTable.state == "waiting")
    await connection.execute(gone)


class Outbox:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def take(self, limit: int, under_way: Counter[str], most: int) -> list[Due]:
        """Those that are due, the oldest first; ``most`` tries at once for each host, some of which are under way."""
        at = now()
        place = func.row_number().over(partition_by=DeliveryTable.host, order_by=DeliveryTable.due_at)
        due = select(DeliveryTable.id, place.label("place"))
        ranked = due.where(DeliveryTable.state == "pending", DeliveryTable.due_at <= at).subquery()
        query = select(_ROW).join(ranked, ranked.c.id == DeliveryTable.id).where(ranked.c.place <= most)
        async with self._db.read() as connection:
            rows = (await connection.execute(query.order_by(DeliveryTable.due_at).limit(limit))).all()
        busy = Counter(under_way)
        taken: list[Due] = []
        for row in rows:
            if busy[row.host] < most and await self._lease(row.id, row.due_at, at + LEASE):
                busy[row.host] += 1
                taken.append(Due(row.id, row.host, row.url, row.secret, row.body, row.attempts + 1))
        return taken

    async def _lease(self, name: str, due_at: datetime, until: datetime) -> bool:
        """False where another server was first."""
        still = (DeliveryTable.id == name, DeliveryTable.state == "pending", DeliveryTable.due_at == due_at)
        values = {"due_at": until, "attempts": DeliveryTable.attempts + 1}
        async with self._db.write() as connection:
            return (await connection.execute(update(DeliveryTable).where(*still).values(**values))).rowcount == 1

    async def next_due(self) -> datetime | None:
        query = select(func.min(DeliveryTable.due_at)).where(DeliveryTable.state == "pending")
        async with self._db.read() as connection:
            found: datetime | None = (await connection.execute(query)).scalar_one()
        return found

    async def record_try(self, due: Due, outcome: str, again_at: datetime | None) -> DeliveryState:
        """How a try went; ``again_at`` is None where it was the last. An alarm says it, too. Gives the new state."""
        values: dict[str, object] = {"outcome": outcome, "due_at": again_at}
        state: DeliveryState = "pending"
        if again_at is None:
            state = "delivered" if outcome == "sent" else "failed"
            values |= {"state": state, "ended_at": now(), "secret": None, "url": redact_url(due.url)}
        subject = select(DeliveryTable.subject).where(DeliveryTable.id == due.id).scalar_subquery()
        async with self._db.write() as connection:
            await connection.execute(update(DeliveryTable).where(DeliveryTable.id == due.id).values(**values))
            await connection.execute(update(Alarm).where(Alarm.id == subject).values(webhook=outcome))
        return state

    async def sweep(self) -> None:
        """Forgets what ended a week ago."""
        old = delete(DeliveryTable).where(DeliveryTable.ended_at < compute_cutoff(_KEPT))
        async with self._db.write() as connection:
            await connection.execute(old)

    async def find(self, name: str) -> Delivery | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(_ROW).where(DeliveryTable.id == name))).one_or_none()
        return None if row is None else _delivery(row)

    async def page(self, wanted: PageRange, subject: str | None, state: str | None) -> Sequence[Delivery]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(_ROW), DeliveryTable.id)
        for column, value in ((DeliveryTable.subject, subject), (DeliveryTable.state, state)):
            if value is not None:
                query = query.where(column == value)
        async with self._db.read() as connection:
            return [_delivery(row) for row in await connection.execute(query)]


def _delivery(row: Row[Any]) -> Delivery:
    named = ("id", "subject", "event", "state", "signed", "attempts", "outcome", "created_at", "ended_at")
    values = {name: row._mapping[name] for name in named}
    return Delivery(**values, url=redact_url(row.url), next_attempt_at=row.due_at)
