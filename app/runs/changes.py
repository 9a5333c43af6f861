"""Reads the responses of a run next to a step, on either side of it: what is compared by :mod:`audits.novelty`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from zlib import crc32

from sqlalchemy import ColumnElement, Row, Select, select

from app.kit.cache import Cache
from app.kit.db import Database
from app.runs.contents import contents_of, response_of
from app.runs.series import Ledger, ledger_of
from app.tables import Reward as RewardTable
from app.tables import Verdict as VerdictTable
from app.watch.reading import select_answer
from trueward.errors import NotFound
from trueward.wire.change import RunChanges

if TYPE_CHECKING:
    from audits.novelty import ResponseFeatures

SIDE = 250
"""Records on either side of the step that are compared."""
NEAR = 2_000
"""Records next to the step, on either side, that these are chosen from."""
_AT_ONCE = 200
KeptChanges = Cache[bytes, RunChanges]
"""By the digest of the records next to the step."""


class ChangesReader:
    def __init__(self, db: Database, kept: KeptChanges | None = None) -> None:
        self._db = db
        self._kept = kept if kept is not None else Cache(0)

    async def of_run(self, run: str, since: int) -> RunChanges:
        """What is new from a step on. Raises :class:`NotFound` for a run without a record that names a step."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            among = [ledger.run == run, ledger.split == "train"]
            if (await connection.execute(select(ledger.record).where(*among).limit(1))).first() is None:
                among.pop()  # a run of evaluations alone
            names = [
                list(await connection.scalars(query)) for query in _near(ledger, select(ledger.record), among, since)
            ]
            known = self._kept.get(_digest(run, since, names))
            if known is not None:
                return known
            near = [list(await connection.execute(query)) for query in _near(ledger, _columns(ledger), among, since)]
        before, after = map(_spread, near)
        if not before and not after:
            raise NotFound(f"the ledger has no record of a run {run[:100]!r} that names a step")
        rows = [*reversed(before), *after]
        contents = await contents_of(self._db, {row.sample for row in rows})
        answers = await self._answers(rows)
        found = await asyncio.to_thread(_compared, run, since, rows, len(before), contents, answers)
        self._kept.put(_digest(run, since, [[row.record for row in side] for side in near]), found)
        return found

    async def _answers(self, rows: Sequence[Row[Any]]) -> dict[str, str | None]:
        """What was read of each response, by the record of the verdict; of a reward's the first."""
        names = sorted({row.verdict for row in rows if row.verdict is not None})
        found: dict[str, str | None] = {}
        async with self._db.read() as connection:
            for start in range(0, len(names), _AT_ONCE):
                part = select(VerdictTable.record, select_answer())
                part = part.where(VerdictTable.record.in_(names[start : start + _AT_ONCE]))
                found.update({row.record: row.extracted for row in await connection.execute(part)})
        return found


def _near(
    ledger: Ledger, told: Select[Any], among: Sequence[ColumnElement[bool]], since: int
) -> tuple[Select[Any], Select[Any]]:
    """Of the records next to the step, before it (the nearest first) and from it on, what is told of each."""
    named = told.where(*among)
    order = (ledger.step, ledger.record)
    earlier = named.where(ledger.step < since).order_by(*(one.desc() for one in order)).limit(NEAR)
    return earlier, named.where(ledger.step >= since).order_by(*order).limit(NEAR)


def _columns(ledger: Ledger) -> Any:
    shared = (
        ledger.record,
        ledger.sample,
        ledger.step,
        ledger.outcome,
        ledger.reason_code,
        ledger.prompt,
        ledger.group_,
    )
    if ledger is RewardTable:
        first = RewardTable.verdicts[0].as_string().label("verdict")
        return select(*shared, RewardTable.reward.label("score"), first)
    return select(*shared, VerdictTable.score.label("score"), VerdictTable.record.label("verdict"))


def _spread(rows: Sequence[Row[Any]]) -> list[Row[Any]]:
    """At most ``SIDE`` of the rows, in their order: one of each group, then a second of each, and so on.

    A group counts as much as one response (:mod:`audits.novelty.rises`), so 250 responses of 16 groups would show
    nothing but what turned over at once. Which one of a group is a matter of chance, and not of its place there: a
    trainer may have sorted them.
    """
    seen: Counter[str] = Counter()
    ranks: list[tuple[int, int]] = []
    for place in sorted(range(len(rows)), key=lambda place: crc32(rows[place].record.encode())):
        group = _group(rows[place])
        ranks.append((seen[group], place))
        seen[group] += 1
    return [rows[place] for place in sorted(place for _, place in sorted(ranks)[:SIDE])]


def _digest(run: str, since: int, near: Sequence[Sequence[str]]) -> bytes:
    """Of the records next to the step: none is ever changed, and its sample is there as long as it is."""
    return blake2b(repr((run, since, near)).encode("utf-8", "backslashreplace")).digest()


def _compared(
    run: str,
    since: int,
    rows: Sequence[Row[Any]],
    before: int,
    contents: Mapping[str, str],
    answers: Mapping[str, str | None],
) -> RunChanges:
    """In a thread: it takes the texts apart, and loads what they are compared with."""
    from audits.novelty import compare

    said = [_features_of(row, contents.get(row.sample), answers.get(row.verdict)) for row in rows]
    return compare(run, since, said[:before], said[before:])


def _features_of(row: Row[Any], content: str | None, answer: str | None) -> ResponseFeatures:
    from audits.novelty import ResponseFeatures

    reason = f"{row.outcome}: {row.reason_code}"
    return ResponseFeatures(row.record, _group(row), row.step, response_of(content), reason, answer, row.score)


def _group(row: Row[Any]) -> str:
    """Responses to one prompt at one step."""
    return f"{row.step} {row.prompt or row.group or row.record}"
