"""Samples of a subject, ``metadata.subject``, with all that was said of them by whomever, people too.

Nothing indexes metadata, so all samples are looked at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, null, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.retention.erasing import RECORDS, erase, erase_records, erase_unused
from app.retention.phase import DueRows, Rows
from app.retention.reports import forget_records
from app.retention.spec import Spec, is_owned
from app.tables import Draw, DrawHold, DrawItem, Label, Reference, Reward, Sample

_PAGE = 1_000
_AT_ONCE = 100
_SAID = 500


def is_of(text: str | None, subject: str) -> bool:
    """Whether a sample's JSON has the subject; a number is the same as its digits."""
    if text is None:
        return False
    metadata = json.loads(text).get("metadata")
    named = metadata.get("subject") if isinstance(metadata, dict) else None
    return named is not None and not isinstance(named, bool) and str(named) == subject


def hinting(column: Any) -> ColumnElement[str | None]:
    """The text where it may name a subject: what does not is not sent."""
    return case((column.contains('"subject"'), column), else_=null())


class Samples:
    """In the order of their fingerprints. All that is said of a sample goes with it in one transaction."""

    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        query = select(Sample.fingerprint, hinting(Sample.content).label("content"))
        page = query.where(Sample.fingerprint > place).order_by(Sample.fingerprint).limit(_PAGE)
        rows = (await connection.execute(page)).all()
        theirs = [row for row in rows if is_of(row.content, spec.subject or "")]
        some = theirs[:_AT_ONCE]
        end = (some if len(theirs) > _AT_ONCE else rows)[-1].fingerprint if rows else place
        return DueRows(some, end, last=len(rows) < _PAGE and len(theirs) <= _AT_ONCE)

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        names = [row.fingerprint for row in rows]
        gone: Counter[str] = Counter()
        records: set[str] = set()
        for name, table in RECORDS.items():
            columns = [
                table.record,
                table.sample,
                table.run,
                *([Reward.request, Reward.group_] if table is Reward else []),
            ]
            theirs = select(*columns).where(table.sample.in_(names), is_owned(spec.project, table.owner))
            while found := (await connection.execute(theirs.limit(_SAID))).all():
                gone += await erase_records(connection, name, found)
                records |= {row.record for row in found}
        gone["audits"] += await forget_records(connection, spec, records)
        gone["labels"] += await erase(connection, Label, Label.sample, names, is_owned(spec.project, Label.owner))
        gone["draw_items"] += await _erase_drawn(connection, spec, names)
        mine = is_owned(spec.project, Reference.owner)
        gone["corrected_references"] += await erase(connection, Reference, Reference.sample, names, mine)
        gone["samples"] += await erase_unused(connection, names)
        return gone


async def _erase_drawn(connection: AsyncConnection, spec: Spec, names: Sequence[str]) -> int:
    """What is left of a draw keeps its positions and probabilities."""
    mine = select(Draw.id).where(is_owned(spec.project, Draw.owner))
    query = select(DrawItem.draw, DrawItem.position).where(DrawItem.sample.in_(names), DrawItem.draw.in_(mine))
    places = [(row.draw, row.position) for row in await connection.execute(query)]
    await erase(connection, DrawHold, (DrawHold.draw, DrawHold.position), places)
    return await erase(connection, DrawItem, (DrawItem.draw, DrawItem.position), places)
