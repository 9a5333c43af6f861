"""Entries for the ledger, made up, each different from every other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sqlalchemy import func, select

from app import tables
from app.kit.db import Database
from app.kit.tokens import new_id
from app.path.rows import Entry
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Producer, Verdict

PRODUCER = Producer(name="exact", version="1", params="sha256:0")


def entry(name: str, *, record: str | None = None, reason: str = "equal", priced: bool = False) -> Entry:
    """The sample ``name`` with a verdict, and a reward where it is ``priced``."""
    sample = Sample(id=name, response=name, reference=name, group="g", data_source="made up")
    content = sample.model_dump_json(exclude=set(Sample.identity), exclude_none=True)
    verdict = Verdict.correct(
        "equal", reason, evidence={"extracted": name, "score": 1e22}, record=new_id(), producer=PRODUCER, id=name
    )
    reward = Reward(
        id=name,
        record=record or new_id(),
        reward=1.0,
        outcome=verdict.outcome,
        components={"exact": -0.0},
        producers=[PRODUCER],
    )
    if not priced and record is not None:
        verdict.record = record
    fingerprint = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return Entry(sample, fingerprint, content, [verdict], reward if priced else None)


async def count(db: Database, table: type[tables.Table]) -> int:
    async with db.read() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar_one()


async def recorded(db: Database) -> Sequence[str]:
    """The records of all verdicts."""
    async with db.read() as connection:
        return (await connection.execute(select(tables.Verdict.record))).scalars().all()
