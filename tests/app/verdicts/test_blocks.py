"""What PostgreSQL reads of an index ends where the bounds of a search do, and not at the driver's last entry."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import Select, text

from app.kit.db import Database
from app.kit.tokens import LAST_ID
from app.runs.activity import A_PLACE, _means, _Part, _Span
from app.tables import Reward
from app.verdicts.filters import LedgerFilters
from app.verdicts.search_statements import STEPS, RecordQuery, RecordRange
from tests.app.verdicts.test_search import varied, wrote
from tests.databases import BOTH

STEP = 200
STEPS_WRITTEN = 20
SPARE = 4
"""Blocks between which two reads of as many rows may differ: where pages begin, and how high a tree is."""

pytestmark = pytest.mark.parametrize("database_url", [BOTH[1]], indirect=True)


@pytest.fixture
async def rewards(db: Database) -> list[str]:
    """Thousands of one run, oldest first, of one group, reason and recipe."""
    found = []
    for step in range(STEPS_WRITTEN):
        made = [varied(STEP * step + number, priced=True) for number in range(STEP)]
        for one in made:
            one.sample.group = "group"
        found += await wrote(db, made, run="run", step=step)
    async with db.session() as connection:
        await connection.execute(text("VACUUM ANALYZE"))
    return found


async def blocks(db: Database, statement: Select[Any]) -> int:
    words = str(statement.compile(dialect=db.sql, compile_kwargs={"literal_binds": True}))
    async with db.read() as connection:
        [row] = await connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {words}")
    plan = (json.loads(row[0]) if isinstance(row[0], str) else row[0])[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


@pytest.mark.parametrize("newer", [False, True])
@pytest.mark.parametrize("driver", [("group",), ("run",), ("run", "step"), ("recipe_name",)])
async def test_a_time_that_few_records_are_of_costs_no_more_than_none(
    db: Database, rewards: list[str], driver: tuple[str, ...], newer: bool
) -> None:
    step = STEPS_WRITTEN // 2
    rows = rewards[STEP * step : STEP * (step + 1)] if "step" in driver else rewards
    values = {"group": "group", "run": "run", "step": step, "recipe": "plain"}
    wanted = {name: values[name] for name in (one.removesuffix("_name") for one in driver)}
    asked = RecordQuery(LedgerFilters(kind="reward", **wanted), newer, db.dialect)
    few = RecordRange("", rows[5]) if newer else RecordRange(rows[-5], LAST_ID)
    async with db.read() as connection:
        found = {row.record for row in await connection.execute(asked.keys(driver, few, 50))}
    assert found == set(rows[:5] if newer else rows[-5:])
    without = await blocks(db, asked.keys(driver, asked.bounds(None), 50))
    assert await blocks(db, asked.keys(driver, few, 50)) <= without + SPARE


async def test_an_early_step_costs_what_a_late_one_does(db: Database, rewards: list[str]) -> None:
    cost = []
    for step in (0, STEPS_WRITTEN - 1):
        filters = LedgerFilters(kind="reward", run="run", step_min=step, step_max=step)
        asked = RecordQuery(filters, False, db.dialect, narrow=True)
        keys = asked.keys(STEPS, asked.bounds(None), 50)
        async with db.read() as connection:
            found = [row.record for row in await connection.execute(keys)]
        assert found == rewards[STEP * step : STEP * (step + 1)][:-51:-1]
        cost.append(await blocks(db, keys) + await blocks(db, asked.in_steps(10_000)))
    assert abs(cost[0] - cost[1]) <= 2 * SPARE


async def test_an_early_place_of_a_runs_course_costs_what_a_late_one_does(db: Database, rewards: list[str]) -> None:
    async with db.read() as connection:
        first, last = (
            _means(
                connection,
                _Part(Reward, False, {}),
                [_Span("run", rewards[place], rewards[place + A_PLACE])],
                A_PLACE,
            )
            for place in (0, len(rewards) - 2 * A_PLACE)
        )
    assert abs(await blocks(db, first) - await blocks(db, last)) <= SPARE
