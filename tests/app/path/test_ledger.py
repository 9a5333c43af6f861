"""The ledger: what it answered for is there, once; an outage and a bad row cost what they must and no more."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence

import pytest
from sqlalchemy import event, select

from app import tables
from app.kit.db import Database, Statement
from app.kit.tokens import new_id
from app.path.ledger import EntriesRefused, Entry, Ledger, LedgerUnavailable
from app.path.rows import RequestContext
from app.verdicts.repository import reward_of, verdict_of
from rewards.recipe import Recipe, parse_recipe
from tests.app.outage import outage
from tests.app.records import count, entry, recorded
from tests.live import victim
from verifiers import registry

CONTEXT = RequestContext(run="r", step=3, policy="v3", split="eval", owner="k")
LONG_S = 60.0


@pytest.fixture
async def ledger(db: Database) -> AsyncIterator[Ledger]:
    async with Ledger(db, 1000) as ledger:
        yield ledger


def in_s(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def recipe() -> Recipe:
    return parse_recipe({"name": "plain", "terms": [{"verifier": "exact"}]})


async def test_a_verdict_comes_back_as_it_was(db: Database, ledger: Ledger) -> None:
    one = entry("one")
    await ledger.write([one], CONTEXT, in_s(LONG_S))
    async with db.read() as connection:
        row = (await connection.execute(select(tables.Verdict.__table__))).one()
        content = (await connection.execute(select(tables.Sample.content))).scalar_one()
    assert verdict_of(row) == one.verdicts[0]
    assert (row.run, row.step, row.policy, row.split, row.owner) == ("r", 3, "v3", "eval", "k")
    assert (row.sample, row.sample_id, row.group, row.data_source) == (one.fingerprint, "one", "g", "made up")
    assert content == one.content


async def test_a_reward_comes_back_bit_for_bit_with_its_recipe_and_verdicts(db: Database, ledger: Ledger) -> None:
    one = entry("one", priced=True)
    await ledger.write([one], CONTEXT, in_s(LONG_S), recipe())
    async with db.read() as connection:
        row = (await connection.execute(select(tables.Reward.__table__))).one()
        stored = (await connection.execute(select(tables.Recipe.__table__))).one()
    assert one.reward is not None
    assert reward_of(row).model_dump_json() == one.reward.model_dump_json()
    assert row.verdicts == [verdict.record for verdict in one.verdicts]
    assert (stored.hash, stored.name) == (row.recipe, "plain") == (recipe().hash, row.recipe_name)
    assert parse_recipe(stored.body).hash == stored.hash


async def test_parameters_are_stored_once_under_the_hash_that_verdicts_name(db: Database, ledger: Ledger) -> None:
    verifier = registry.create("exact", {})
    context = RequestContext(verifiers=[verifier])
    await ledger.write([entry("one")], context, in_s(LONG_S))
    await ledger.write([entry("two")], context, in_s(LONG_S))
    async with db.read() as connection:
        row = (await connection.execute(select(tables.Params.__table__))).one()
    assert (row.hash, row.verifier) == (verifier.producer.params, "exact")
    assert type(verifier.params).model_validate(row.body) == verifier.params


async def test_many_writers_share_a_transaction(db: Database, ledger: Ledger) -> None:
    commits = 0

    def committed(connection: object) -> None:
        nonlocal commits
        commits += 1

    event.listen(db._writer.sync_engine, "commit", committed)
    await asyncio.gather(*(ledger.write([entry(f"s{index}")], CONTEXT, in_s(LONG_S)) for index in range(100)))
    assert await count(db, tables.Verdict) == 100
    assert commits <= 10


async def test_writing_again_keeps_the_first(db: Database, ledger: Ledger) -> None:
    record = new_id()
    await ledger.write([entry("one", record=record, reason="first")], CONTEXT, in_s(LONG_S))
    await ledger.write([entry("one", record=record, reason="second")], CONTEXT, in_s(LONG_S))
    async with db.read() as connection:
        assert (await connection.execute(select(tables.Verdict.reason))).scalars().all() == ["first"]


async def test_one_sample_twice_in_a_batch_is_stored_once_and_judged_twice(db: Database, ledger: Ledger) -> None:
    await ledger.write([entry("same"), entry("same")], CONTEXT, in_s(LONG_S))
    assert (await count(db, tables.Sample), await count(db, tables.Verdict)) == (1, 2)


@pytest.mark.parametrize("bad", ["\ud800", "no record"])
async def test_a_refused_entry_costs_no_other(db: Database, ledger: Ledger, bad: str) -> None:
    entries = [entry(f"s{index}") for index in range(20)]
    if bad == "no record":
        entries[13].verdicts[0].record = None
    else:
        entries[13].verdicts[0].reason = bad
    other = asyncio.create_task(ledger.write([entry("other")], CONTEXT, in_s(LONG_S)))
    with pytest.raises(EntriesRefused) as refusal:
        await ledger.write(entries, CONTEXT, in_s(LONG_S))
    await other
    assert refusal.value.lost == {13}
    kept = {item.verdicts[0].record for index, item in enumerate(entries) if index != 13}
    assert kept < set(await recorded(db))
    assert await count(db, tables.Verdict) == 20


async def test_an_outage_is_waited_out(db: Database, ledger: Ledger) -> None:
    async with outage(db):
        waiting = asyncio.create_task(ledger.write([entry("one")], CONTEXT, in_s(LONG_S)))
        await asyncio.sleep(0.3)
        assert not waiting.done()
    await waiting
    assert await count(db, tables.Verdict) == 1


async def test_at_its_deadline_a_caller_stops_waiting_and_later_callers_are_served(
    db: Database, ledger: Ledger
) -> None:
    async with outage(db):
        with pytest.raises(LedgerUnavailable) as lost:
            await ledger.write([entry("one"), entry("two")], CONTEXT, in_s(0.2))
        assert lost.value.lost == {0, 1}
        assert not isinstance(lost.value, EntriesRefused)
    await ledger.write([entry("three")], CONTEXT, in_s(LONG_S))
    assert "three" in await sample_ids(db)
    assert not ledger.failing


async def test_in_an_outage_the_database_is_blamed(db: Database, ledger: Ledger) -> None:
    async with outage(db):
        with pytest.raises(LedgerUnavailable) as lost:
            await ledger.write([entry("one")], CONTEXT, in_s(0.5))
    assert not lost.value.waited


async def test_a_busy_ledger_blames_no_healthy_database(db: Database, ledger: Ledger) -> None:
    first = asyncio.create_task(ledger.write([entry("one")], CONTEXT, in_s(LONG_S)))
    await asyncio.sleep(0)
    with pytest.raises(LedgerUnavailable) as lost:
        await ledger.write([entry("two")], CONTEXT, in_s(0.0))
    assert lost.value.waited
    await first


async def test_who_gave_up_while_queued_is_not_recorded(db: Database, ledger: Ledger) -> None:
    async with outage(db):
        first = asyncio.create_task(ledger.write([entry("first")], CONTEXT, in_s(LONG_S)))
        await asyncio.sleep(0.05)
        with pytest.raises(LedgerUnavailable):
            await ledger.write([entry("gave up")], CONTEXT, in_s(0.1))
    await first
    await ledger.write([entry("last")], CONTEXT, in_s(LONG_S))
    assert await sample_ids(db) == {"first", "last"}


async def test_a_full_queue_slows_callers_down_and_loses_nothing(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = []
    insert = Database.insert

    async def noted(self: Database, statements: Sequence[Statement]) -> None:
        commits.append(max(len(rows) for _, rows in statements))
        await insert(self, statements)

    monkeypatch.setattr(Database, "insert", noted)
    async with Ledger(db, 10) as ledger:
        async with outage(db):
            writes = [
                asyncio.create_task(ledger.write([entry(f"s{index}")], CONTEXT, in_s(LONG_S))) for index in range(20)
            ]
            await asyncio.sleep(0.1)
        await asyncio.gather(*writes)
    assert max(commits) <= 10 // entry("one").rows
    assert await count(db, tables.Verdict) == 20


async def test_a_call_beyond_the_capacity_is_let_in_alone(db: Database) -> None:
    async with Ledger(db, 10) as ledger:
        await ledger.write([entry(f"s{index}") for index in range(50)], CONTEXT, in_s(LONG_S))
    assert await count(db, tables.Verdict) == 50


async def test_closing_writes_what_was_accepted_and_refuses_what_comes_after(db: Database) -> None:
    async with Ledger(db, 1000) as ledger:
        writes = [asyncio.create_task(ledger.write([entry(f"s{index}")], CONTEXT, in_s(LONG_S))) for index in range(50)]
        await asyncio.sleep(0)
    await asyncio.gather(*writes)
    assert await count(db, tables.Verdict) == 50
    with pytest.raises(LedgerUnavailable):
        await ledger.write([entry("late")], CONTEXT, in_s(LONG_S))


async def test_nothing_is_nothing(db: Database, ledger: Ledger) -> None:
    await ledger.write([], CONTEXT, in_s(0.0))
    assert await count(db, tables.Sample) == 0


async def test_two_ledgers_that_write_the_same_samples_in_other_orders_both_finish(db: Database) -> None:
    entries: list[Entry] = [entry(f"s{index}") for index in range(200)]
    again = [entry(f"s{index}") for index in reversed(range(200))]
    async with Ledger(db, 1000) as one, Ledger(db, 1000) as two:
        for _ in range(5):
            await asyncio.gather(one.write(entries, CONTEXT, in_s(LONG_S)), two.write(again, CONTEXT, in_s(LONG_S)))
    assert (await count(db, tables.Sample), await count(db, tables.Verdict)) == (200, 400)


async def test_what_was_answered_survives_a_kill_at_any_moment(db: Database, database_url: str) -> None:
    answered: list[str] = []
    for _ in range(3):
        answered += await asyncio.to_thread(answers_until_killed, database_url)
    assert len(answered) > 30
    stored = await recorded(db)
    assert set(answered) <= set(stored)
    assert len(set(stored)) == len(stored)


def answers_until_killed(url: str) -> list[str]:
    """Records that a process said were written, before it was killed."""
    with victim("tests.app.path.ledger_victim", url) as (process, printed):
        first = printed.readline()
        time.sleep(random.uniform(0.05, 0.4))
        process.kill()
        lines = [first, *printed]
    return [line.strip() for line in lines if line.endswith("\n")]


async def sample_ids(db: Database) -> set[str | None]:
    async with db.read() as connection:
        return set((await connection.execute(select(tables.Verdict.sample_id))).scalars())
