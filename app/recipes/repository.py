"""Recipes in the database: contents by hash, and which of them a name stood for, since when."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pydantic import JsonValue
from sqlalchemy import func, insert, select

from app.kit.db import Database, insert_in
from app.kit.tokens import new_id
from app.tables.ledger import Reward as RewardTable
from app.tables.recipes import Recipe as RecipeTable
from app.tables.recipes import RecipeVersion as VersionTable
from app.tables.runs import Run as RunTable
from rewards.recipe import Recipe
from trueward.wire.recipe import RecipeVersion

_AT_ONCE = 400


class RecipesRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def edition(self) -> tuple[int, str | None]:
        """Another one whenever a version was added, by whichever server."""
        async with self._db.read() as connection:
            row = (await connection.execute(select(func.count(), func.max(VersionTable.id)))).one()
        return row[0], row[1]

    async def versions(self) -> list[RecipeVersion]:
        """All of all names, oldest first."""
        columns = (VersionTable.name, VersionTable.hash, VersionTable.description, VersionTable.origin)
        query = select(*columns, VersionTable.owner, VersionTable.created_at).order_by(VersionTable.id)
        async with self._db.read() as connection:
            return [RecipeVersion(**row._mapping) for row in await connection.execute(query)]

    async def bodies(self, hashes: Iterable[str]) -> dict[str, dict[str, JsonValue]]:
        """The contents of these hashes."""
        wanted = sorted(hashes)
        found: dict[str, dict[str, JsonValue]] = {}
        async with self._db.read() as connection:
            for at in range(0, len(wanted), _AT_ONCE):
                query = select(RecipeTable.hash, RecipeTable.body)
                rows = await connection.execute(query.where(RecipeTable.hash.in_(wanted[at : at + _AT_ONCE])))
                found |= {row.hash: row.body for row in rows}
        return found

    async def names(self, runs: Collection[str]) -> dict[str, str]:
        """What the recipe that a run has pinned is called in its rewards, by run; at most 400 runs."""
        called = (
            select(RewardTable.recipe_name)
            .where(RewardTable.run == RunTable.id, RewardTable.recipe == RunTable.recipe)
            .limit(1)
            .correlate(RunTable)
            .scalar_subquery()
        )
        query = select(RunTable.id, called.label("name")).where(RunTable.id.in_(runs))
        async with self._db.read() as connection:
            return {row.id: row.name for row in await connection.execute(query) if row.name is not None}

    async def name_of_sent(self, recipe: Recipe) -> str | None:
        """What one who sees this calls a content that came in requests: the name in a reward, of a run that has it
        pinned or by the name that it was stored with first; None where there is none."""
        pinned = select(RunTable.id).where(RunTable.recipe == recipe.hash)
        ours = RewardTable.run.in_(pinned) | (RewardTable.recipe_name == recipe.name)
        query = select(RewardTable.recipe_name).where(RewardTable.recipe == recipe.hash, ours).limit(1)
        async with self._db.read() as connection:
            name: str | None = await connection.scalar(query)
        return name

    async def add(self, versions: Sequence[tuple[RecipeVersion, Recipe | None]]) -> None:
        """From now on each version's name stands for the content beside it, or for none."""
        contents = [
            {
                "hash": recipe.hash,
                "name": recipe.name,
                "body": recipe.model_dump(mode="json"),
                "created_at": version.created_at,
            }
            for version, recipe in versions
            if recipe is not None
        ]
        rows = [{"id": new_id(), **version.model_dump()} for version, _ in versions]
        async with self._db.write() as connection:
            if contents:
                added = insert_in(self._db.dialect, RecipeTable).on_conflict_do_nothing()
                await connection.execute(added, contents)
            await connection.execute(insert(VersionTable), rows)
