"""What the ledger and the audits know of a preset: which models were asked by it, how often their replies could not be
read, and the error rates that were measured of it.

A verdict is a preset's where the version of its verifier has the preset's stamp, its hash within: what an earlier text
under the same name said is another preset's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import or_, select

from app.kit.db import Database
from app.tables import Verdict
from app.tables.labels import Audit as AuditTable
from trueward.wire.audit import Estimate
from trueward.wire.base import Wire

READ = 10_000
"""Newest verdicts of a verifier that are looked at."""
USED = 1_000
"""Of them, those of the preset that are counted."""
AUDITS = 200
"""Newest completed audits of the verifiers that are looked at."""


class PresetVerdict(Wire):
    """One verdict by the preset: the models that were asked for it, and what that took."""

    outcome: str
    created_at: datetime
    models: dict[str, dict[str, JsonValue]]
    calls: int
    malformed: int


class RatedBy(Wire):
    """A completed audit that measured a verifier; ``params`` are those that its subject names."""

    id: str
    name: str
    kind: str
    finished_at: datetime
    params: dict[str, JsonValue] | None
    versions: dict[str, list[str]]
    origins: dict[str, int]
    false_positives: list[Estimate]
    false_negatives: list[Estimate]


class PresetHistory:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def uses(self, verifiers: Collection[str], stamp: str) -> list[PresetVerdict]:
        """The newest verdicts by the preset, newest first."""
        columns = Verdict.__table__.c
        found: list[PresetVerdict] = []
        async with self._db.read() as connection:
            for verifier in sorted(verifiers):
                newest = select(columns.record, columns.version).where(columns.verifier == verifier)
                newest = newest.order_by(columns.record.desc()).limit(READ)
                rows = newest.subquery()
                stamped = or_(
                    rows.c.version.endswith(f"-{stamp}", autoescape=True),
                    rows.c.version.contains(f"-{stamp}+", autoescape=True),
                )
                of_preset = select(rows.c.record).where(stamped).order_by(rows.c.record.desc()).limit(USED)
                query = select(columns.outcome, columns.created_at, columns.evidence)
                query = query.where(columns.record.in_(of_preset))
                found += [_make_verdict(*row) for row in await connection.execute(query)]
        return sorted(found, key=lambda one: one.created_at, reverse=True)[:USED]

    async def audits(self, verifiers: Collection[str], stamp: str) -> list[RatedBy]:
        """Completed audits whose verdicts were by the preset, at least some of them; newest first."""
        parts = [AuditTable.report[name].label(name) for name in _OF_REPORT]
        params = AuditTable.spec["subject"]["params"].label("params")
        columns = (AuditTable.id, AuditTable.name, AuditTable.kind, AuditTable.finished_at)
        named = [or_(AuditTable.subject == one, AuditTable.subject.startswith(f"{one}@")) for one in sorted(verifiers)]
        query = select(*columns, params, *parts).where(or_(*named), AuditTable.state == "completed")
        async with self._db.read() as connection:
            rows = (await connection.execute(query.order_by(AuditTable.id.desc()).limit(AUDITS))).all()
        found = [RatedBy.model_validate({**row._mapping}) for row in rows if row.versions]
        return [one for one in found if is_of(one, stamp)]


_OF_REPORT = ("versions", "origins", "false_positives", "false_negatives")


def is_of(audit: RatedBy, stamp: str) -> bool:
    """Whether verdicts by the preset were audited."""
    return any(has_stamp(version, stamp) for known in audit.versions.values() for version in known)


def has_stamp(version: str, stamp: str) -> bool:
    """Whether a producer's version, ``2-correctness-2-5fd0c1aa+0c4e19a2b7d3``, is one of the preset."""
    return version.partition("+")[0].partition("-")[2] == stamp


def _make_verdict(outcome: str, created_at: datetime, evidence: Mapping[str, JsonValue]) -> PresetVerdict:
    models, usage = evidence.get("asked"), evidence.get("usage")
    took = usage if isinstance(usage, dict) else {}
    return PresetVerdict(
        outcome=outcome,
        created_at=created_at,
        models={name: one for name, one in models.items() if isinstance(one, dict)} if isinstance(models, dict) else {},
        calls=_count(took.get("calls")),
        malformed=_count(took.get("malformed")),
    )


def _count(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
