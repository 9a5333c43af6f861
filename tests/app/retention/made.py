"""A ledger with a past: records of some age, owner, run and subject, written as the service writes them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import insert, select

from app import tables
from app.kit.claim import claim
from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import derive_ids, first_id, new_id
from app.path.ledger import Ledger
from app.path.rows import Entry, RequestContext
from app.retention.repository import DeletionsRepository
from app.retention.service import spec_of, work_on
from rewards.recipe import parse_recipe
from trueward.wire.deletion import Deletion, DeletionRequest
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Producer, Verdict

PRODUCER = Producer(name="exact", version="1", params="sha256:0")
RECIPE = parse_recipe({"name": "plain", "terms": [{"verifier": "exact"}]})


def ago(days: float) -> datetime:
    return now() - timedelta(days=days)


async def write(
    db: Database,
    names: Sequence[str],
    *,
    days: float = 0.0,
    run: str | None = None,
    owner: str | None = None,
    subject: str | int | None = None,
    request: str | None = None,
    group: str | None = None,
) -> list[str]:
    """A verdict and a reward of each sample, made so long ago; the rewards' records."""
    stem = first_id(ago(days))[:10] + new_id()[10:]
    records = derive_ids(stem, len(names))
    entries = []
    for position, (name, record) in enumerate(zip(names, records, strict=True)):
        sample = Sample(
            id=name, group=group, response=name, reference=name, metadata={"subject": subject} if subject else None
        )
        content = sample.model_dump_json(exclude=set(Sample.identity), exclude_none=True)
        verdict = Verdict.correct("equal", "equal", producer=PRODUCER, record=derive_ids(record, 1)[0], id=name)
        reward = Reward(
            id=name, record=record, reward=1.0, outcome=verdict.outcome, components={"exact": 1.0}, producers=[PRODUCER]
        )
        print_of = hashlib.sha256(content.encode()).hexdigest()
        entries.append(Entry(sample, print_of, content, [verdict], reward, position, ["exact"]))
    context = RequestContext(run=run, step=0, owner=owner, request=request or new_id())
    async with Ledger(db, 100_000) as ledger:
        await ledger.write(entries, context, asyncio.get_running_loop().time() + 60.0, RECIPE)
    return records


async def make_project(db: Database, project: str, key: str, days: int | None = None) -> None:
    async with db.write() as connection:
        row = {"id": project, "weight": 1.0, "retention_days": days, "created_at": now()}
        await connection.execute(insert(tables.Project).values(**row))
        hashed = {"id": key, "name": key, "digest": key, "scopes": ["score"], "created_at": now()}
        await connection.execute(insert(tables.Key).values(**hashed, project=project))


async def make_run(db: Database, run: str, *, days: float = 0.0) -> None:
    """With a state, a mark, a prompt, a budget and an alarm."""
    at = ago(days)
    rows: list[tuple[type[tables.Table], dict[str, object]]] = [
        (tables.Run, {"id": run, "verifiers": {}, "strict": False, "state": {}, "revision": 1, "created_at": at}),
        (tables.RunState, {"run": run, "version": 1, "request": None, "state": {"version": 1}, "at": at}),
        (tables.RunMark, {"id": new_id(), "run": run, "at": at, "kind": "pin", "detail": {}}),
        (tables.Prompt, {"run": run, "prompt": "p", "labelled": True, "rates": [], "groups": 0, "streak": 0}),
    ]
    async with db.write() as connection:
        for table, row in rows:
            late = {"updated_at": at} if table is tables.Prompt else {}
            await connection.execute(insert(table).values(**row, **late))


async def label(db: Database, sample: str, owner: str | None = None) -> None:
    async with db.write() as connection:
        row = {"id": new_id(), "sample": await fingerprint(db, sample), "annotator": "a", "source": "human", "note": ""}
        await connection.execute(
            insert(tables.Label).values(**row, right=True, after_reveal=False, owner=owner, created_at=now())
        )


async def fingerprint(db: Database, name: str) -> str:
    query = select(tables.Sample.fingerprint).where(tables.Sample.content.contains(f'"response":"{name}"'))
    async with db.read() as connection:
        return (await connection.execute(query)).scalar_one()


async def deleted(db: Database, **asked: object) -> Deletion:
    """Carried out here and now."""
    repository = DeletionsRepository(db)
    made = await repository.add(spec_of(DeletionRequest.model_validate(asked)), None)
    await work(db)
    found = await repository.find(made.id)
    assert found is not None
    return found


async def work(db: Database) -> None:
    """Everything that is unfinished, as the service does."""
    async with claim(db, "retention") as granted:
        assert granted is not None
        for row in await DeletionsRepository(db).list_unfinished():
            await work_on(db, row, granted)


async def responses(db: Database) -> list[str]:
    """Of the samples that are stored."""
    async with db.read() as connection:
        contents = (await connection.execute(select(tables.Sample.content))).scalars()
        return sorted(Sample.model_validate_json(content).response_text for content in contents)


async def left(db: Database, table: type[tables.Verdict] | type[tables.Reward]) -> list[str]:
    """The callers' ids of the records that are stored."""
    async with db.read() as connection:
        return sorted(name or "" for name in (await connection.execute(select(table.sample_id))).scalars())
