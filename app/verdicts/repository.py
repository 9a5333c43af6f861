"""Reads the ledger. Whatever writes it is ``app.path.ledger``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import FromClause, Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.kit.paging import PageRange
from app.tables import Params, Recipe, Sample
from app.tables import Reward as RewardTable
from app.tables import Verdict as VerdictTable
from app.verdicts.schemas import LedgerQuery, RewardQuery, VerdictQuery
from trueward.wire.record import RewardDetail, RewardRecord, VerdictDetail, VerdictRecord
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome, Producer, Verdict

LedgerRow = Row[tuple[Any, ...]]
_VERDICTS = VerdictTable.__table__
_REWARDS = RewardTable.__table__


class VerdictsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, record: str) -> VerdictDetail | RewardDetail | None:
        """A verdict or a reward by its record, with its sample and what made it."""
        async with self._db.read() as connection:
            found = await connection.execute(select(_VERDICTS).where(VerdictTable.record == record))
            if (row := found.one_or_none()) is not None:
                return await _verdict_detail(connection, row)
            found = await connection.execute(select(_REWARDS).where(RewardTable.record == record))
            if (row := found.one_or_none()) is not None:
                return await _reward_detail(connection, row)
        return None

    async def page(self, query: VerdictQuery, wanted: PageRange, *, oldest: bool) -> list[VerdictRecord]:
        """Verdicts in the order of their records, and one beyond."""
        return [verdict_record(row) for row in await self._page(_VERDICTS, query, wanted, oldest)]

    async def rewards(self, query: RewardQuery, wanted: PageRange, *, oldest: bool) -> list[RewardRecord]:
        """Rewards in the order of their records, and one beyond."""
        return [reward_record(row) for row in await self._page(_REWARDS, query, wanted, oldest)]

    async def _page(self, table: FromClause, query: LedgerQuery, wanted: PageRange, oldest: bool) -> list[LedgerRow]:
        record = table.c.record
        rows = wanted.oldest(select(table), record) if oldest else wanted.newest(select(table), record)
        for name, value in query.model_dump(exclude_none=True).items():
            rows = rows.where(table.c[name] == value)
        async with self._db.read() as connection:
            return list(await connection.execute(rows))


def verdict_of(row: LedgerRow) -> Verdict:
    """The verdict as it was answered."""
    return Verdict(
        outcome=Outcome(row.outcome),
        score=row.score,
        reason_code=row.reason_code,
        reason=row.reason,
        evidence=row.evidence,
        confidence=row.confidence,
        feedback=row.feedback,
        id=row.sample_id,
        record=row.record,
        producer=Producer(name=row.verifier, version=row.version, params=row.params),
        elapsed_s=row.elapsed_s,
        cached=row.cached,
    )


def reward_of(row: LedgerRow) -> Reward:
    """The reward as it was answered."""
    return Reward(
        id=row.sample_id,
        record=row.record,
        reward=row.reward,
        outcome=Outcome(row.outcome),
        components=row.components,
        corrected=row.corrected,
        weight=row.weight,
        reason_code=row.reason_code,
        reason=row.reason,
        producers=[Producer(**producer) for producer in row.producers],
        estimate=row.estimate,
        uncertainty=row.uncertainty,
        kept=row.kept,
        step_rewards=row.step_rewards,
        step_spans=row.step_spans,
        token_rewards=row.token_rewards,
        token_spans=row.token_spans,
    )


def _circumstances(row: LedgerRow) -> dict[str, Any]:
    names = ("record", "created_at", "sample", "group", "pair", "run", "step", "policy", "split", "data_source")
    return {name: row._mapping[name] for name in names}


def verdict_record(row: LedgerRow) -> VerdictRecord:
    """The verdict with its circumstances."""
    return VerdictRecord(**_circumstances(row), verdict=verdict_of(row))


def reward_record(row: LedgerRow) -> RewardRecord:
    """The reward with its circumstances."""
    reward = reward_of(row)
    return RewardRecord(**_circumstances(row), reward=reward, recipe=row.recipe, recipe_name=row.recipe_name)


async def _verdict_detail(connection: AsyncConnection, row: LedgerRow) -> VerdictDetail:
    made_with = select(Params.body).where(Params.hash == row.params, Params.verifier == row.verifier)
    return VerdictDetail(
        **dict(verdict_record(row)),
        content=await _content(connection, row.sample),
        params=(await connection.execute(made_with)).scalar_one_or_none(),
    )


async def _reward_detail(connection: AsyncConnection, row: LedgerRow) -> RewardDetail:
    made_with = select(Recipe.body).where(Recipe.hash == row.recipe)
    return RewardDetail(
        **dict(reward_record(row)),
        content=await _content(connection, row.sample),
        recipe_body=(await connection.execute(made_with)).scalar_one_or_none(),
        verdicts=await _verdicts(connection, row.verdicts),
    )


async def _content(connection: AsyncConnection, fingerprint: str) -> dict[str, Any]:
    stored = select(Sample.content).where(Sample.fingerprint == fingerprint)
    content: dict[str, Any] = json.loads((await connection.execute(stored)).scalar_one())
    return content


async def _verdicts(connection: AsyncConnection, records: Sequence[str]) -> list[VerdictRecord]:
    """Those that were not deleted."""
    rows = await connection.execute(select(_VERDICTS).where(VerdictTable.record.in_(records)))
    by_record = {row.record: verdict_record(row) for row in rows}
    return [by_record[record] for record in records if record in by_record]
