"""The registry on both databases: what other servers register, delete and give weights to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kit.background import Refresher
from app.kit.db import Database
from app.lanes.model_source import RegisteredModel, Source
from app.models.registry import ModelRegistry
from app.models.repository import ModelsRepository
from judges.base import UnknownModel
from trueward.wire.model import ModelEntry, WeightsRequest

HIGHEST = 2**53


def made(name: str, number: str = "1") -> RegisteredModel:
    entry = ModelEntry(name=name, kind="reward", path="org/model", steps={"joint": "\n"})
    return RegisteredModel(number, entry, 0, (), "key", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


async def test_what_one_server_registers_and_deletes_another_sees(db: Database) -> None:
    repository = ModelsRepository(db)
    async with ModelRegistry(repository) as here, ModelRegistry(repository) as there:
        assert await repository.add(made("rm"))
        await here.refresh()
        with pytest.raises(UnknownModel, match="GET /v1/models lists them"):
            there.find("rm")
        waiting = asyncio.ensure_future(there.wait_changed())
        await there.refresh()
        await waiting
        assert there.find("rm") == made("rm")
        with pytest.raises(UnknownModel, match="did you mean 'rm'"):
            there.find("rn")
        assert await repository.remove("rm")
        assert not await repository.remove("rm")
        await there.refresh()
        assert there.all() == []


async def test_a_name_is_taken_once(db: Database) -> None:
    repository = ModelsRepository(db)
    assert await repository.add(made("rm"))
    assert not await repository.add(made("rm", number="2"))
    assert [model.id for model in await repository.all()] == ["1"]


async def test_weights_follow_the_version_that_was_read(db: Database) -> None:
    repository = ModelsRepository(db)
    await repository.add(made("rm"))
    source = Source(WeightsRequest(path="/w", version=HIGHEST, adapter=True), "hash")
    done = await asyncio.gather(*(repository.reweigh(made("rm"), HIGHEST, [source]) for _ in range(3)))
    assert sorted(done) == [False, False, True]
    assert await repository.all() == [replace(made("rm"), weights=HIGHEST, sources=(source,))]
    await repository.remove("rm")
    await repository.add(made("rm", number="2"))
    assert not await repository.reweigh(made("rm"), 1, [source])


async def test_a_registry_refreshes_itself(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.kit.background.REFRESH_S", 0.01)
    repository = ModelsRepository(db)
    async with ModelRegistry(repository) as there, Refresher(db, [there]):
        changed = asyncio.ensure_future(there.wait_changed())
        await repository.add(made("rm"))
        async with asyncio.timeout(10):
            await changed
        assert there.find("rm").entry.name == "rm"
