"""Records that a report names, with the beginning of what people need to see of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue
from sqlalchemy import ColumnElement, RowMapping, Text, case, cast, func, literal, null, select
from sqlalchemy.dialects import postgresql

from app.kit.db import Database
from app.tables import Reward, Sample, Verdict
from trueward.wire.base import Wire
from trueward.wire.verdict import Outcome

SHOWN = 400
"""Characters of a text."""
WHOLE = 50_000
"""Characters of a sample's content that is read whole."""


class Shown(Wire):
    """One record. Prompt and reference are their beginnings, the response is its end: there the answer stands.

    A text that is a list of messages is shown as JSON. ``content`` is the sample where it is not too long; ``by`` and
    ``evidence`` are a verdict's.
    """

    record: str
    created_at: datetime
    run: str | None
    outcome: Outcome
    score: float | None = Field(description="a reward, where the record is one")
    reason_code: str
    reason: str
    prompt: str
    response: str
    reference: str
    content: dict[str, JsonValue] | None = Field(None, exclude=True)
    by: str = Field("", exclude=True)
    evidence: dict[str, JsonValue] = Field({}, exclude=True)


async def show_records(db: Database, records: Sequence[str], *, rewards: bool) -> dict[str, Shown]:
    """By record; those that the ledger does not have any more are left out."""
    table: type[Verdict] | type[Reward] = Reward if rewards else Verdict
    columns = table.__table__.c
    names = ["record", "created_at", "run", "outcome", "reason_code"]
    query = select(
        *(columns[name] for name in names),
        columns["reward" if rewards else "score"].label("score"),
        func.substr(columns["reason"], 1, SHOWN).label("reason"),
        *(func.substr(_entry(name, db.dialect), 1, SHOWN).label(name) for name in ("prompt", "reference")),
        _end(_entry("response", db.dialect), db.dialect).label("response"),
        case((func.length(Sample.content) <= WHOLE, Sample.content)).label("content"),
        (null() if rewards else columns["verifier"]).label("by"),
        (null() if rewards else columns["evidence"]).label("evidence"),
    ).join(Sample, Sample.fingerprint == table.sample)
    async with db.read() as connection:
        rows = await connection.execute(query.where(table.record.in_(records)))
        return {row.record: _view_row(row._mapping) for row in rows}


def _view_row(row: RowMapping) -> Shown:
    content = None if row["content"] is None else json.loads(row["content"])
    return Shown(**{**row, "content": content, "by": row["by"] or "", "evidence": row["evidence"] or {}})


def _entry(name: str, dialect: Literal["sqlite", "postgresql"]) -> ColumnElement[str]:
    """An entry of the sample's content as text, empty where there is none."""
    content: ColumnElement[Any] = Sample.__table__.c.content
    document = cast(content, postgresql.JSON) if dialect == "postgresql" else content
    key = literal(name if dialect == "postgresql" else f"$.{name}", Text)
    return func.coalesce(document.op("->>", return_type=Text())(key), "")


def _end(text: ColumnElement[str], dialect: Literal["sqlite", "postgresql"]) -> ColumnElement[str]:
    return func.right(text, SHOWN) if dialect == "postgresql" else func.substr(text, -SHOWN)
