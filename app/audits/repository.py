"""Audits in the database."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from pydantic import JsonValue, TypeAdapter
from pydantic_core import from_json
from sqlalchemy import Row, func, insert, select, update

from app.kit.clock import now
from app.kit.db import Database
from app.kit.lookup import LATEST, Candidate, match_columns
from app.kit.paging import PageRange
from app.kit.text import clean_json
from app.tables.labels import Audit as AuditTable
from app.webhooks.outbox import Hook, announce, expect, is_expected
from trueward.wire.audit import Audit, AuditReport, AuditSpec, AuditSummary, Estimate
from trueward.wire.base import Wire
from trueward.wire.verdict import Producer
from trueward.wire.webhook import EventType
from verifiers.legible import legible

_SPEC: TypeAdapter[AuditSpec] = TypeAdapter(AuditSpec)
_OPEN = ("waiting", "running")
_RATES = ("versions", "false_positives", "false_negatives", "origins")
_MEASURING = ("labelled", "consensus")
"""Kinds that measure rates for recipes."""
_LOOKED_AT = 500
"""Audits among which those of a run are looked for: what they are about is in no index."""
_SPEC_OF = AuditTable.spec
_RUN = func.coalesce(
    _SPEC_OF["population"]["run"].as_string(), _SPEC_OF["given"]["population"]["run"].as_string()
).label("run")
_VERIFIER = func.coalesce(
    _SPEC_OF["subject"]["verifier"].as_string(), _SPEC_OF["subjects"][0]["verifier"].as_string()
).label("verifier")
_SUMMARY = [AuditTable.__table__.c[name] for name in AuditSummary.model_fields]


class PastRates(Wire):
    """The rates that a completed audit found, by each method, the versions that judged, and what was held for true."""

    id: str
    finished_at: datetime
    versions: dict[str, list[str]]
    false_positives: list[Estimate]
    false_negatives: list[Estimate]
    origins: dict[str, int]


def find_second(origins: Collection[str]) -> frozenset[str]:
    """The verifier or recipe that an audit held for the truth, as ``verifier:math``; nothing where labels were."""
    return frozenset(origin for origin in origins if origin.startswith(("verifier:", "recipe ")))


class AuditsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, audit: Audit, subject: str, hook: Hook | None = None) -> None:
        """``hook`` is told when it ends."""
        row = audit.model_dump(mode="json", include={"id", "name", "spec", "state", "done", "total", "owner"})
        row |= {"kind": audit.spec.kind, "subject": subject, "created_at": audit.created_at}
        async with self._db.write() as connection:
            await connection.execute(insert(AuditTable).values(**row))
            if hook is not None:
                await expect(connection, hook, audit.id, audit.owner)

    async def find(self, audit: str) -> Audit | None:
        query = select(AuditTable.__table__).where(AuditTable.id == audit)
        async with self._db.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else _audit(row)

    async def find_candidates(self, said: str) -> list[Candidate]:
        """The audits that may be meant."""
        query = select(AuditTable.id, AuditTable.name, _RUN).where(
            *match_columns(said, AuditTable.id, AuditTable.name, _RUN)
        )
        newest = query.order_by(AuditTable.id.desc())
        async with self._db.read() as connection:
            rows = await connection.execute(newest.limit(1) if said == LATEST else newest)
            return [Candidate(row.id, row.name, row.run) for row in rows]

    async def find_rated(self, said: str, verifiers: Collection[str]) -> list[tuple[Candidate, str]]:
        """The completed audits that may be meant and measured the rates of one of these verifiers, with its name."""
        query = select(AuditTable.id, AuditTable.name, _RUN, _VERIFIER).where(
            *match_columns(said, AuditTable.id, AuditTable.name, _RUN),
            AuditTable.state == "completed",
            AuditTable.kind.in_(_MEASURING),
            AuditTable.report["rates"].as_string().is_not(None),
        )
        async with self._db.read() as connection:
            rows = await connection.execute(query)
            return [(Candidate(row.id, row.name, row.run), row.verifier) for row in rows if row.verifier in verifiers]

    async def page(self, wanted: PageRange, kind: str | None, subject: str | None) -> list[AuditSummary]:
        """Newest first, and one beyond."""
        query = wanted.newest(select(*_SUMMARY), AuditTable.id)
        for column, value in ((AuditTable.kind, kind), (AuditTable.subject, subject)):
            if value is not None:
                query = query.where(column == value)
        async with self._db.read() as connection:
            return [AuditSummary(**row._mapping) for row in await connection.execute(query)]

    async def newest(self, limit: int) -> list[AuditSummary]:
        """Of each kind and subject the newest, newest first."""
        newest = select(func.max(AuditTable.id)).group_by(AuditTable.kind, AuditTable.subject)
        query = select(*_SUMMARY).where(AuditTable.id.in_(newest)).order_by(AuditTable.id.desc()).limit(limit)
        async with self._db.read() as connection:
            return [AuditSummary(**row._mapping) for row in await connection.execute(query)]

    async def measured_of_run(self, run: str, limit: int) -> list[AuditSummary]:
        """The completed audits that measured rates in a run, newest first, among the newest ``_LOOKED_AT``."""
        newest = select(AuditTable.id).order_by(AuditTable.id.desc()).limit(_LOOKED_AT)
        query = select(*_SUMMARY).where(
            AuditTable.id.in_(newest),
            AuditTable.kind.in_(_MEASURING),
            AuditTable.state == "completed",
            AuditTable.spec["population"]["run"].as_string() == run,
        )
        async with self._db.read() as connection:
            rows = await connection.execute(query.order_by(AuditTable.id.desc()).limit(limit))
            return [AuditSummary(**row._mapping) for row in rows]

    async def find_completed(self, subject: str) -> dict[str, str]:
        """By kind the newest completed audit of a subject."""
        query = select(AuditTable.kind, func.max(AuditTable.id).label("id")).group_by(AuditTable.kind)
        query = query.where(AuditTable.subject == subject, AuditTable.state == "completed")
        async with self._db.read() as connection:
            return {row.kind: row.id for row in await connection.execute(query)}

    async def past_rates(self, subject: str, kind: str, until: str, limit: int) -> list[PastRates]:
        """What completed audits of one kind found of a subject, newest first, from the audit ``until`` backwards."""
        parts = [AuditTable.report[name].label(name) for name in _RATES]
        query = select(AuditTable.id, AuditTable.finished_at, *parts).order_by(AuditTable.id.desc()).limit(limit)
        query = query.where(AuditTable.kind == kind, AuditTable.subject == subject, AuditTable.state == "completed")
        async with self._db.read() as connection:
            rows: Sequence[Row[tuple[object, ...]]] = (
                await connection.execute(query.where(AuditTable.id <= until))
            ).all()
        return [PastRates.model_validate({**row._mapping}) for row in rows]

    async def rates_of(self, audits: Collection[str]) -> dict[str, PastRates]:
        """What those of the audits found that are completed, by id."""
        parts = [AuditTable.report[name].label(name) for name in _RATES]
        query = select(AuditTable.id, AuditTable.finished_at, *parts)
        query = query.where(AuditTable.id.in_(audits), AuditTable.state == "completed")
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).all()
        return {row.id: PastRates.model_validate({**row._mapping}) for row in rows}

    async def newest_rates(self, limit: int) -> list[tuple[str, str, PastRates]]:
        """Of each kind and subject the newest completed: kind, the subject's name, the rates; newest first."""
        newest = select(func.max(AuditTable.id)).where(AuditTable.state == "completed")
        newest = newest.group_by(AuditTable.kind, AuditTable.subject)
        columns = (AuditTable.id, AuditTable.finished_at, AuditTable.kind, AuditTable.subject)
        parts = [AuditTable.report[name].label(name) for name in _RATES]
        query = select(*columns, *parts).where(AuditTable.id.in_(newest)).order_by(AuditTable.id.desc()).limit(limit)
        async with self._db.read() as connection:
            rows = [dict(row._mapping) for row in await connection.execute(query)]
        return [(row.pop("kind"), row.pop("subject").partition(" ")[0], PastRates.model_validate(row)) for row in rows]

    async def summary(self, audit: str) -> AuditSummary | None:
        """Without specification and report, which may be large."""
        async with self._db.read() as connection:
            row = (await connection.execute(select(*_SUMMARY).where(AuditTable.id == audit))).one_or_none()
        return None if row is None else AuditSummary(**row._mapping)

    async def list_unfinished(self) -> list[str]:
        """Oldest first."""
        query = select(AuditTable.id).where(AuditTable.state.in_(_OPEN)).order_by(AuditTable.id)
        async with self._db.read() as connection:
            return list((await connection.execute(query)).scalars())

    async def list_completed(self) -> set[str]:
        """Ids of the audits that have a report."""
        query = select(AuditTable.id).where(AuditTable.state == "completed")
        async with self._db.read() as connection:
            return set((await connection.execute(query)).scalars())

    async def rates(self, audit: str) -> tuple[str, JsonValue] | None:
        """The verifier that an audit is of, with the rates that it measured; None where it measured none."""
        query = select(AuditTable.kind, AuditTable.spec, AuditTable.report).where(AuditTable.id == audit)
        async with self._db.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        rates = None if row is None or row.report is None else row.report["rates"]
        if row is None or rates is None:
            return None
        # not parsed: every audit is asked for when the service starts, one of another version's form too
        subject = row.spec["subjects"][0] if row.kind == "consensus" else row.spec["subject"]
        return None if subject["verifier"] is None else (subject["verifier"], rates)

    async def gate(self, audit: str) -> tuple[Producer, bool] | None:
        """The verifier that was held against a gate, and whether it passed."""
        query = select(AuditTable.report).where(AuditTable.id == audit)
        async with self._db.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        report = {} if row is None or row.report is None else row.report
        gate, producer = report.get("gate"), report.get("producer")
        return None if gate is None or producer is None else (Producer(**producer), gate["passed"])

    async def progress(self, audit: str, done: int, total: int) -> bool:
        return await self._change(audit, state="running", done=done, total=total)

    async def complete(self, audit: str, report: AuditReport) -> bool:
        """A number among the findings that is none is stored as null, text as it can be stored."""
        stored = clean_json(from_json(report.model_dump_json()))
        return await self._change(audit, state="completed", report=stored, finished_at=now(), done=AuditTable.total)

    async def fail(self, audit: str, failure: str) -> None:
        await self._change(audit, state="failed", failure=legible(failure), finished_at=now())

    async def _change(self, audit: str, **values: object) -> bool:
        """Only of an audit that has not ended: what has ended is final. Whether it had not."""
        change = update(AuditTable).where(AuditTable.id == audit, AuditTable.state.in_(_OPEN))
        async with self._db.write() as connection:
            changed = (await connection.execute(change.values(**values))).rowcount == 1
            if changed and "finished_at" in values and await is_expected(connection, audit):
                row = (await connection.execute(select(*_SUMMARY).where(AuditTable.id == audit))).one()
                event: EventType = "audit.failed" if row.state == "failed" else "audit.ended"
                await announce(connection, audit, event, AuditSummary(**row._mapping))
        return changed


def _audit(row: Row[tuple[object, ...]]) -> Audit:
    return Audit(
        id=row.id,
        name=row.name,
        spec=_SPEC.validate_python(row.spec),
        state=row.state,
        done=row.done,
        total=row.total,
        failure=row.failure,
        owner=row.owner,
        created_at=row.created_at,
        finished_at=row.finished_at,
        report=None if row.report is None else AuditReport.model_validate(row.report),
    )
