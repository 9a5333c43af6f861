"""Frozen recipes: their rewards are refused until somebody lifts the freeze, which is on record. A freeze holds for the
project of whoever froze: recipes are shared, and what one project suspects must not stop another.

Scoring asks without waiting, so the hashes are kept in memory; what another server freezes takes hold within two
seconds. Audits may still price with a frozen recipe: somebody has to find out what was wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import insert, select, update

from app.audits.population import RUN as AUDITS
from app.keys.acts import record_in
from app.kit.background import Refreshed
from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from app.projects.visibility import Sight
from app.tables import Freeze as FreezeTable
from app.tables import Key
from app.tables import Recipe as RecipeTable
from trueward.errors import Conflict, NotFound, RecipeFrozen
from trueward.wire.watch import Freeze

_SHOWN = 200


class FrozenRecipes(Refreshed):
    """An async context manager; inside it the hashes stay fresh."""

    task = "frozen recipes"

    def __init__(self, db: Database) -> None:
        self._db = db
        self._reasons: Mapping[tuple[str | None, str], str] = {}

    @property
    def count(self) -> int:
        return len(self._reasons)

    def refuse_frozen(self, recipe: str, run: str | None, project: str | None = None) -> None:
        """Raises :class:`RecipeFrozen`; never for the run of an audit, nor for what another project froze."""
        reason = self._reasons.get((project, recipe))
        if reason is not None and not (run or "").startswith(AUDITS):
            raise RecipeFrozen(
                f"recipe {recipe} is frozen: {reason}. Nothing was scored. Use another recipe, or lift the freeze with "
                f"DELETE /v1/recipes/{recipe}/freeze"
            )

    async def freeze(
        self, recipe: str, reason: str, alarm: str | None, owner: str | None, project: str | None = None
    ) -> Freeze:
        """For the project of the ``owner``. Raises :class:`NotFound` for a recipe that was never used or put,
        :class:`Conflict` for one that is frozen.

        An alarm freezes once: what was lifted is not frozen again by the same one.
        """
        async with Sight(project).of(self._db).write() as connection:
            known = await connection.execute(select(RecipeTable.hash).where(RecipeTable.hash == recipe))
            if known.first() is None:
                raise NotFound(f"no recipe with the hash {recipe[:100]!r} was used or put; GET /v1/recipes lists them")
            same = (FreezeTable.recipe == recipe) & FreezeTable.lifted_at.is_(None)
            if alarm is not None:
                same |= FreezeTable.alarm == alarm
            if (await connection.execute(select(FreezeTable.id).where(same))).first() is not None:
                raise Conflict(f"recipe {recipe} is frozen already, or was by this alarm; GET /v1/freezes says why")
            made = Freeze(id=new_id(), recipe=recipe, reason=reason, alarm=alarm, owner=owner, created_at=now())
            await connection.execute(insert(FreezeTable).values(**made.model_dump()))
            await record_in(connection, owner, "recipe.freeze", recipe, {"reason": reason, "alarm": alarm})
        await self.refresh()
        return made

    async def lift(self, recipe: str, reason: str, owner: str | None, project: str | None = None) -> Freeze:
        """Raises :class:`NotFound` where the recipe is not frozen for the project."""
        frozen = (FreezeTable.recipe == recipe, FreezeTable.lifted_at.is_(None))
        async with Sight(project).of(self._db).write() as connection:
            row = (await connection.execute(select(FreezeTable.id).where(*frozen))).first()
            if row is None:
                raise NotFound(f"recipe {recipe[:100]!r} is not frozen; GET /v1/freezes lists those that are or were")
            lifted = {"lifted_at": now(), "lifted_by": owner, "lift_reason": reason}
            await connection.execute(update(FreezeTable).where(*frozen).values(**lifted))
            shown = await connection.execute(select(FreezeTable.__table__).where(FreezeTable.id == row.id))
            freeze = Freeze(**shown.one()._mapping)
            await record_in(connection, owner, "recipe.thaw", recipe, {"reason": reason})
        await self.refresh()
        return freeze

    async def list_frozen(self, sight: Sight) -> set[str]:
        """Hashes of the recipes that are frozen now."""
        query = select(FreezeTable.recipe).where(FreezeTable.lifted_at.is_(None))
        async with sight.of(self._db).read() as connection:
            return set((await connection.execute(query)).scalars())

    async def all(self, sight: Sight) -> list[Freeze]:
        """The newest first, at most 200; those that were lifted too."""
        query = select(FreezeTable.__table__).order_by(FreezeTable.id.desc()).limit(_SHOWN)
        async with sight.of(self._db).read() as connection:
            return [Freeze(**row._mapping) for row in await connection.execute(query)]

    async def refresh(self) -> None:
        query = select(Key.project, FreezeTable.recipe, FreezeTable.reason).where(FreezeTable.lifted_at.is_(None))
        query = query.select_from(FreezeTable).outerjoin(Key, Key.id == FreezeTable.owner)
        async with self._db.read() as connection:
            self._reasons = {(row.project, row.recipe): row.reason for row in await connection.execute(query)}
