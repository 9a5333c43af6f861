"""What a run pins, on both databases: versions that change, strictness, and writers that meet."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from app.kit.db import Database
from app.runs.repository import RunsRepository
from app.runs.service import Runs
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from rewards.recipe import parse_recipe
from tests.app.outage import outage
from trueward.authoring.verifier import Verifier
from trueward.errors import RunPinned, Unavailable
from trueward.wire.run import Run
from trueward.wire.verdict import Producer

RECIPE = parse_recipe({"name": "a", "terms": [{"verifier": "math"}]})
LATE = float("inf")
OTHER = parse_recipe({"name": "b", "terms": [{"verifier": "math"}], "invalid": -1})


def _verifier(version: str, name: str = "math") -> Verifier:
    return cast(Verifier, SimpleNamespace(producer=Producer(name=name, version=version, params="sha256:0")))


class NoAccounts:
    """Whose judges have cost nothing."""

    async def of_run(self, run: str, recipe: str) -> None:
        return None


@pytest.fixture
def runs(db: Database) -> Runs:
    return Runs(RunsRepository(db), Metrics(), FrozenRecipes(db), NoAccounts())


async def test_a_new_verifier_version_is_a_mark_and_not_a_refusal(runs: Runs) -> None:
    await runs.admit("r", [_verifier("1")], RECIPE, LATE)
    await runs.admit("r", [_verifier("2")], RECIPE, LATE)
    shown = await runs.show("r")
    assert shown.verifiers == {"math": "2"}
    assert [(mark["kind"], mark["from"], mark["to"]) for mark in shown.marks] == [("verifier_version", "1", "2")]


async def test_a_strict_run_refuses_a_new_version(runs: Runs) -> None:
    await runs.admit("r", [_verifier("1")], RECIPE, LATE)
    await runs.pin("r", None, True, "reproduce")
    with pytest.raises(RunPinned, match="strict"):
        await runs.admit("r", [_verifier("2")], RECIPE, LATE)
    await runs.admit("r", [_verifier("1")], RECIPE, LATE)


async def test_a_further_verifier_joins_the_pins(runs: Runs) -> None:
    await runs.admit("r", [_verifier("1")], None, LATE)
    await runs.admit("r", [_verifier("1", "exact")], None, LATE)
    assert (await runs.show("r")).verifiers == {"math": "1", "exact": "1"}


async def test_two_servers_that_meet_agree_on_one_pin(db: Database) -> None:
    servers = [Runs(RunsRepository(db), Metrics(), FrozenRecipes(db), NoAccounts()) for _ in range(2)]
    said = await asyncio.gather(
        servers[0].admit("r", [_verifier("1")], RECIPE, LATE),
        servers[1].admit("r", [_verifier("1")], OTHER, LATE),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in said) == ["NoneType", "RunPinned"]


async def test_a_write_over_a_revision_that_is_gone_is_refused(db: Database) -> None:
    repository = RunsRepository(db)
    assert await repository.save(Run(id="r"), None)
    assert not await repository.save(Run(id="r"), None)
    assert await repository.save(Run(id="r", strict=True), 1)
    assert not await repository.save(Run(id="r"), 1)
    stored = await repository.find("r")
    assert stored is not None
    assert (stored.run.strict, stored.revision) == (True, 2)


async def test_while_the_database_is_down_nothing_is_admitted_until_the_deadline(db: Database) -> None:
    runs = Runs(RunsRepository(db), Metrics(), FrozenRecipes(db), NoAccounts())
    async with outage(db):
        with pytest.raises(Unavailable):
            await runs.admit("r", [_verifier("1")], RECIPE, asyncio.get_running_loop().time() + 0.3)
        waiting = asyncio.ensure_future(runs.admit("r", [_verifier("1")], RECIPE, LATE))
        await asyncio.sleep(0.3)
        assert not waiting.done()
    await asyncio.wait_for(waiting, 30)
    assert (await runs.show("r")).recipe == RECIPE.hash
