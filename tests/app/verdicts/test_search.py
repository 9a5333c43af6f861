"""Searching the ledger: filters, pages without gaps or doubles, bounds that hold, and the indexes that serve it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import Select, text

from app.kit.db import Database
from app.kit.tokens import first_id, new_id
from app.path.ledger import Entry, Ledger
from app.path.rows import RequestContext
from app.verdicts.filters import Kind, LedgerFilters
from app.verdicts.related import select_records
from app.verdicts.search import Cursor, LedgerSearch, SearchResult
from app.verdicts.search_statements import DRIVERS, RecordQuery
from rewards.recipe import parse_recipe
from tests.app.records import entry
from tests.databases import BOTH
from trueward.wire.verdict import Producer

RECIPE = parse_recipe({"name": "plain", "terms": [{"verifier": "exact"}]})
VALUES: dict[str, Any] = {
    "group": "group 3",
    "run": "run 1",
    "step": 7,
    "reason_code": "code 2",
    "verifier": "exact",
    "outcome": "correct",
    "recipe_name": "plain",
}

CASES: list[tuple[dict[str, Any], Sequence[int]]] = [
    ({}, range(40)),
    ({"verifier": "exact"}, range(1, 40, 2)),
    ({"outcome": "correct"}, range(40)),
    ({"outcome": "timeout"}, ()),
    ({"score_min": 0.7}, [one for one in range(40) if one % 10 >= 7]),
    ({"score_min": 0.2, "score_max": 0.3}, [one for one in range(40) if one % 10 in (2, 3)]),
    ({"run": "run 1"}, range(20, 40)),
    ({"run": "run 1", "step": 7}, range(20, 40)),
    ({"run": "run 0", "step": 7}, ()),
    ({"step": 3}, range(20)),
    ({"group": "group 3"}, range(12, 16)),
    ({"split": "eval"}, range(20, 40)),
    ({"policy": "v0"}, range(20)),
    ({"reason_code": "code 2"}, range(2, 40, 7)),
    ({"reason_code": "code 2", "run": "run 1", "verifier": "exact"}, [23, 37]),
    ({"text": "SAMPLE 1,"}, [1]),
    ({"text": "50% sure\n\\boxed{3}"}, [3]),
    ({"text": "0_ sure"}, ()),
    ({"text": "correct"}, ()),
    ({"text": "sure", "group": "group 3"}, range(12, 16)),
]
"""Filters, and which of forty samples they find."""


def varied(number: int, *, priced: bool = False) -> Entry:
    """Groups of four, seven reason codes, scores from 0 to 0.9, two verifiers."""
    made = entry(f"sample {number}, 50% sure\n\\boxed{{{number}}}", priced=priced)
    made.sample.group = f"group {number // 4}"
    verdict = made.verdicts[0]
    verdict.reason_code = f"code {number % 7}"
    verdict.score = number % 10 / 10
    verdict.producer = Producer(name="exact" if number % 2 else "numeric", version="1", params="sha256:0")
    if made.reward is not None:
        made.reward.reward = verdict.score
    return made


async def wrote(db: Database, entries: list[Entry], **context: Any) -> list[str]:
    """Their records, oldest first."""
    recipe = RECIPE if entries[0].reward is not None else None
    async with Ledger(db, 10_000) as ledger:
        await ledger.write(entries, RequestContext(**context), asyncio.get_running_loop().time() + 60, recipe)
    return [str((one.reward or one.verdicts[0]).record) for one in entries]


def records(found: SearchResult) -> list[str]:
    return [row.record for row in found.rows]


async def test_a_filter_finds_what_it_names_newest_first(db: Database) -> None:
    made = [varied(number) for number in range(40)]
    known = await wrote(db, made[:20], run="run 0", step=3, policy="v0")
    known += await wrote(db, made[20:], run="run 1", step=7, policy="v1", split="eval")
    for asked, numbers in CASES:
        found = await LedgerSearch(db).page(LedgerFilters(**asked), Cursor(), 100)
        assert records(found) == [known[number] for number in sorted(numbers, reverse=True)], asked
        assert (found.more, found.searched) == (False, None)
        assert all(excerpt.startswith("sample ") for excerpt in found.excerpts)


@pytest.mark.parametrize("rows", [1000, 3])
async def test_a_range_of_steps_is_found_whether_or_not_it_may_be_sorted(db: Database, rows: int) -> None:
    """Steps come out of order, as where evaluations are late; the last bound makes the run drive the search."""
    known = []
    for step in (5, 3, 9, 4):
        known += await wrote(db, [varied(10 * step + number) for number in range(3)], run="r", step=step)
    await wrote(db, [varied(number) for number in range(3)], run="another", step=4)
    search, filters = LedgerSearch(db, rows=rows), LedgerFilters.model_validate({"run": "r", "step": "3-5"})
    assert (filters.step, filters.step_min, filters.step_max) == (None, 3, 5)
    seen, cursor = [], Cursor()
    while True:
        found = await search.page(filters, cursor, 4)
        seen += records(found)
        if not found.more:
            break
        cursor = Cursor(found.stopped or seen[-1])
    assert seen == [*known[:8:-1], *known[5::-1]]
    assert await search.count(filters) == (9 if rows == 1000 else None)
    assert len(records(await search.page(LedgerFilters(step_min=4, step_max=4), Cursor(), 10))) <= 6
    kept = LedgerFilters(run="r", step_min=4, verifier="exact")
    assert all((row.step or 0) >= 4 for row in (await LedgerSearch(db).page(kept, Cursor(), 10)).rows)


async def test_a_row_has_its_reference_and_the_answer_that_was_extracted(db: Database) -> None:
    await wrote(db, [entry("7"), entry("x" * 300)], run="r")
    found = await LedgerSearch(db).page(LedgerFilters(run="r"), Cursor(), 10)
    assert sorted(one or "" for one in found.extracted) == ["7", "x" * 300]
    assert sorted(one or "" for one in found.references) == ["7", "x" * 200]
    assert [row.record for row in (await LedgerSearch(db).records("verdict", records(found)[:1])).rows] == records(
        found
    )[:1]


async def test_rewards_are_found_by_recipe(db: Database) -> None:
    known = await wrote(db, [varied(number, priced=True) for number in range(8)], run="r", step=1)
    search = LedgerSearch(db)
    for recipe in ("plain", RECIPE.hash):
        asked = LedgerFilters(kind="reward", recipe=recipe, score_min=0.5)
        assert records(await search.page(asked, Cursor(), 10)) == known[:4:-1]
    assert records(await search.page(LedgerFilters(kind="reward", recipe="other"), Cursor(), 10)) == []


async def test_times_are_when_a_record_was_made(db: Database) -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    ids = [first_id(at + timedelta(seconds=number)) for number in range(4)]
    await wrote(db, [entry(f"s{number}", record=one) for number, one in enumerate(ids)])
    search = LedgerSearch(db)

    async def between(since: object, until: object) -> list[str]:
        asked = LedgerFilters.model_validate({"since": since, "until": until, "group": "g"})
        found = records(await search.page(asked, Cursor(), 10))
        assert await search.count(asked) == len(found)
        return found

    assert await between("2026-01-02T03:04:06", None) == ids[:0:-1]
    assert await between(at, at + timedelta(seconds=2)) == [ids[1], ids[0]]
    assert await between("2026-01-02T04:04:08+01:00", None) == [ids[3]]


@pytest.mark.parametrize(
    "asked", [{}, {"run": "r"}, {"run": "r", "verifier": "exact", "split": "train"}, {"text": "s"}]
)
async def test_pages_have_no_gaps_and_no_doubles_while_rows_arrive(db: Database, asked: dict[str, Any]) -> None:
    known = await wrote(db, [varied(number) for number in range(50)], run="r")
    wanted = known[::-1] if "verifier" not in asked else known[::-2]
    search, filters, seen, cursor = LedgerSearch(db, rows=7, texts=7), LedgerFilters(**asked), [], Cursor()
    while True:
        found = await search.page(filters, cursor, 3)
        seen += records(found)
        if not found.more:
            break
        cursor = Cursor(found.stopped or seen[-1])
        await wrote(db, [varied(100 + len(seen))], run="r")
    assert seen == wanted
    back: list[str] = []
    cursor = Cursor(known[0], newer=True)
    while known[-1] not in back and len(back) < 60:
        found = await search.page(filters, cursor, 3)
        back = records(found) + back
        cursor = Cursor(found.stopped or back[0], newer=True)
    assert [one for one in back if one in known] == wanted[:-1] if known[0] in wanted else wanted


async def test_a_search_ends_where_it_may_look_no_further_and_goes_on_from_there(db: Database) -> None:
    known = await wrote(db, [varied(number) for number in range(50)])
    search = LedgerSearch(db, rows=20, texts=10)
    asked = LedgerFilters(score_max=0.0, split="train")
    first = await search.page(asked, Cursor(), 10)
    assert (records(first), first.more, first.searched) == ([known[40], known[30]], True, 20)
    assert first.stopped == known[30]
    second = await search.page(asked, Cursor(first.stopped), 10)
    assert (records(second), second.searched) == ([known[20], known[10]], 20)
    third = await search.page(asked, Cursor(second.stopped), 10)
    assert (records(third), third.more, third.searched) == ([known[0]], False, None)
    assert (await search.page(LedgerFilters(text="sample 3,"), Cursor(), 10)).stopped == known[40]


async def test_the_filter_with_the_fewest_rows_drives_the_search(db: Database) -> None:
    old = await wrote(db, [varied(0)], run="rare")
    await wrote(db, [varied(number) for number in range(1, 50)], run="common")
    found = await LedgerSearch(db, rows=5).page(LedgerFilters(verifier="numeric", run="rare"), Cursor(), 10)
    assert (records(found), found.searched) == (old, None)


async def test_what_is_counted_is_cheap_to_count(db: Database) -> None:
    await wrote(db, [varied(number) for number in range(12)], run="r")
    search = LedgerSearch(db)
    assert await search.count(LedgerFilters()) == 12
    assert await search.count(LedgerFilters(group="group 2")) == 4
    assert await search.count(LedgerFilters(run="r", group="group 2")) is None
    assert await search.count(LedgerFilters(text="x")) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "reward", "verifier": "math"},
        {"recipe": "math"},
        {"score_min": "nan"},
        {"since": "0001-01-01"},
        {"until": "9999-12-31"},
        {"step": -1},
    ],
)
def test_filters_that_fit_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LedgerFilters.model_validate(wrong)


async def plan(db: Database, statement: Select[Any]) -> str:
    words = str(statement.compile(dialect=db.sql, compile_kwargs={"literal_binds": True}))
    explain = "EXPLAIN QUERY PLAN " if db.dialect == "sqlite" else "EXPLAIN "
    async with db.read() as connection:
        if db.dialect == "postgresql":
            # of a month with next to no rows it would read all, and sort them
            await connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            await connection.exec_driver_sql("SET LOCAL enable_sort = off")
        return "\n".join(str(row) for row in await connection.exec_driver_sql(explain + words))


@pytest.mark.parametrize("kind", ["verdict", "reward"])
async def test_an_index_finds_and_orders_the_rows_of_each_driver(db: Database, kind: Kind) -> None:
    """In a ledger of several runs, with what PostgreSQL knows of it: no plan sorts, and none reads the whole table; the
    rows are in the partition of before the months."""
    for run in range(3):
        made = [varied(number + 100 * run, priced=kind == "reward") for number in range(100)]
        await wrote(db, made, run=f"run {run}", step=7)
    if db.dialect == "postgresql":
        async with db.write() as connection:
            await connection.execute(text("ANALYZE"))
    for driver in [*DRIVERS[kind], ()]:
        values = {("recipe" if name == "recipe_name" else name): VALUES[name] for name in driver}
        key = f"pk_{kind}s(_before)?|autoindex_{kind}s_1"
        index = f"ix_{kind}s_(before_)?{'_'.join([*driver, 'record'])}\\b" if driver else key
        for newer in (False, True):
            asked = RecordQuery(LedgerFilters(kind=kind, **values), newer, db.dialect)
            shown = await plan(db, asked.keys(driver, asked.bounds(new_id()), 10))
            assert re.search(index, shown), shown
            assert not re.search("Sort  |Seq Scan|B-TREE|SCAN", shown), shown


async def test_an_index_finds_what_else_was_said_of_a_content(db: Database) -> None:
    await wrote(db, [varied(number) for number in range(300)])
    if db.dialect == "postgresql":
        async with db.write() as connection:
            await connection.execute(text("ANALYZE"))
    for statement in select_records("fingerprint"):
        shown = await plan(db, statement)
        assert re.search("ix_(verdicts|rewards)_(before_)?sample_record", shown), shown


@pytest.mark.parametrize("database_url", [BOTH[1]], indirect=True)
async def test_postgresql_expects_the_rows_that_a_run_has(db: Database) -> None:
    """Expecting one, it would take a sort of them all for cheap; most of all for the run whose name sorts first."""
    for run in range(3):
        await wrote(db, [varied(number + 100 * run) for number in range(100)], run=f"run {run}")
    async with db.write() as connection:
        await connection.execute(text("ANALYZE"))
    for run in range(3):
        asked = RecordQuery(LedgerFilters(run=f"run {run}"), False, db.dialect)
        keys = asked.keys(("run",), asked.bounds(None), 1_000)
        words = str(keys.compile(dialect=db.sql, compile_kwargs={"literal_binds": True}))
        async with db.read() as connection:
            [row] = await connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {words}")
        expected = (json.loads(row[0]) if isinstance(row[0], str) else row[0])[0]["Plan"]["Plan Rows"]
        assert 50 <= expected <= 300, f"run {run}"
