"""Reads what the doctor looks at: a run's newest records, bounded, a page at a time, and what verdicts say of some.

Canaries are left out: they are wrong on purpose. Texts are read and let go, but those of a few that are judged again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import Row, case, func, literal, null, or_, select

from app.diagnosis.summary import Content, Seen, Summary
from app.kit.db import Database
from app.kit.tokens import LAST_ID
from app.runs.series import MOST_TOLD, Ledger, ledger_of
from app.tables import Params as ParamsTable
from app.tables import Recipe as RecipeTable
from app.tables import Reward as RewardTable
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from app.watch.reading import CANARY
from trueward.trainers.first_batch import forms
from trueward.types import Outcome, Sample

_PAGE = 200
LONGEST = 100_000
"""Characters of a sample's content that is read; of a longer one the response is not looked at."""


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict on a record, without its text; ``params`` is the hash of its verifier's parameters."""

    sample: str
    verifier: str
    params: str
    reason_code: str
    score: float | None


class Reader:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def extent(self, run: str) -> tuple[str | None, int]:
        """The run's newest record, and how many there are."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            newest = select(ledger.record).where(ledger.run == run).order_by(ledger.record.desc()).limit(1)
            some = select(ledger.record).where(ledger.run == run).limit(MOST_TOLD).subquery()
            latest = (await connection.execute(newest)).scalar_one_or_none()
            return latest, (await connection.execute(select(func.count()).select_from(some))).scalar_one()

    async def read(self, run: str, limit: int) -> Summary:
        """The newest ``limit`` records of a run."""
        _, total = await self.extent(run)
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
        records: list[Seen] = []
        contents: dict[str, Content] = {}
        recipe, behind = None, LAST_ID
        while len(records) < limit and (
            page := await self._page(ledger, run, behind, min(_PAGE, limit - len(records)))
        ):
            texts = await self.texts({row.sample for row in page} - contents.keys())
            contents |= await asyncio.to_thread(_contents, texts)
            records += [_seen(row, contents.get(row.sample)) for row in page]
            recipe, behind = recipe or page[0].recipe, page[-1].record
        return Summary(run=run, records=records, total=total, penalties=await self._penalties(recipe))

    async def _page(self, ledger: Ledger, run: str, behind: str, size: int) -> Sequence[Row[Any]]:
        """Newest first: what a round of the event loop has time for."""
        async with self._db.read() as connection:
            return list(await connection.execute(_newest(ledger, run, behind, size)))

    async def texts(self, samples: Collection[str]) -> dict[str, str]:
        """The content of each sample, as JSON; of one that is very long none."""
        content = case((func.length(SampleTable.content) <= LONGEST, SampleTable.content), else_=null())
        wanted = select(SampleTable.fingerprint, content.label("content")).where(SampleTable.fingerprint.in_(samples))
        async with self._db.read() as connection:
            return {row.fingerprint: row.content for row in await connection.execute(wanted) if row.content is not None}

    async def said(self, records: Sequence[Seen]) -> list[Said]:
        """The verdicts of these records."""
        named = [verdict for one in records for verdict in one.said_by]
        columns = (VerdictTable.sample, VerdictTable.verifier, VerdictTable.params)
        found: list[Said] = []
        for start in range(0, len(named), _PAGE):
            wanted = select(*columns, VerdictTable.reason_code, VerdictTable.score)
            wanted = wanted.where(VerdictTable.record.in_(named[start : start + _PAGE])).order_by(VerdictTable.record)
            async with self._db.read() as connection:
                found += [Said(*row) for row in await connection.execute(wanted)]
        return found

    async def params(self, verifier: str, digest: str) -> dict[str, JsonValue]:
        """The parameters behind a hash."""
        wanted = select(ParamsTable.body).where(ParamsTable.hash == digest, ParamsTable.verifier == verifier)
        async with self._db.read() as connection:
            return (await connection.execute(wanted)).scalar_one_or_none() or {}

    async def _penalties(self, recipe: str | None) -> frozenset[str]:
        """The terms of a recipe whose weight is negative."""
        if recipe is None:
            return frozenset()
        async with self._db.read() as connection:
            body = (await connection.execute(select(RecipeTable.body).where(RecipeTable.hash == recipe))).scalar()
        return frozenset(_negative(body))


def _newest(ledger: Ledger, run: str, behind: str, limit: int) -> Any:
    shared = (ledger.record, ledger.sample, ledger.outcome, ledger.reason_code, ledger.reason)
    told = (ledger.step, ledger.group_, ledger.prompt, ledger.data_source)
    if ledger is RewardTable:
        made: tuple[Any, ...] = (RewardTable.reward, RewardTable.components, RewardTable.verdicts)
        query = select(*shared, *told, *made, RewardTable.request, RewardTable.recipe)
    else:
        nothing = [literal(None).label(name) for name in ("components", "verdicts", "request", "recipe")]
        query = select(*shared, *told, VerdictTable.score.label("reward"), *nothing)
    kept = or_(ledger.data_source.is_(None), ledger.data_source != CANARY)
    return query.where(ledger.run == run, ledger.record < behind, kept).order_by(ledger.record.desc()).limit(limit)


def _seen(row: Row[Any], content: Content | None) -> Seen:
    member = row.group or row.prompt
    return Seen(
        record=row.record,
        sample=row.sample,
        outcome=Outcome(row.outcome),
        reason_code=row.reason_code,
        reason=row.reason,
        reward=row.reward,
        group=None if member is None else (row.step if row.step is not None else row.request, member),
        prompt=row.prompt,
        source=row.data_source,
        components=row.components,
        said_by=[row.record] if row.verdicts is None else row.verdicts,
        content=content,
    )


def _contents(texts: Mapping[str, str]) -> dict[str, Content]:
    found = {}
    for fingerprint, text in texts.items():
        sample = Sample.model_validate(from_json(text))
        response = sample.response_text
        digest = hashlib.blake2b(response.encode(), digest_size=16).hexdigest()
        found[fingerprint] = Content(len(response), digest, forms(response), sample.finish_reason, sample.tokens)
    return found


def _negative(body: JsonValue) -> list[str]:
    """Names of what has a negative weight, wherever in a recipe it stands."""
    if isinstance(body, list):
        return [name for one in body for name in _negative(one)]
    if not isinstance(body, dict):
        return []
    weight, name = body.get("weight"), body.get("name") or body.get("verifier")
    here = [str(name)] if isinstance(weight, int | float) and weight < 0 and name else []
    return here + [name for one in body.values() for name in _negative(one)]
