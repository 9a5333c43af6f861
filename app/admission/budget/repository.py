"""Accounts in the database; a write states the revision that was read (compare-and-swap)."""

from __future__ import annotations

from sqlalchemy import Row, and_, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.admission.budget.account import AccountKey, StoredAccount
from app.admission.budget.amount import Amount
from app.kit.clock import now
from app.kit.db import Database
from app.tables.recipes import Budget as Table
from app.tables.recipes import Recipe
from rewards.budget import Budget

_MOST = 2**62
"""A server may report any number of tokens; a column takes less."""


class BudgetsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def read(self, key: AccountKey) -> StoredAccount | None:
        mine = and_(Table.recipe == key.recipe, Table.run == key.run, Table.owner == key.owner)
        async with self._db.read() as connection:
            row = (await connection.execute(select(Table.__table__).where(mine))).first()
        return _drawn(row) if row is not None else None

    async def of_recipe(self, recipe: str) -> Budget | None:
        async with self._db.read() as connection:
            body = await connection.scalar(select(Recipe.body).where(Recipe.hash == recipe))
        stated = (body or {}).get("budget")
        return Budget.model_validate(stated) if stated is not None else None

    async def swap(self, key: AccountKey, budget: Budget | None, before: StoredAccount | None, after: Amount) -> bool:
        """False where another was faster."""
        values = {
            "budget": budget.model_dump(mode="json", exclude_none=True) if budget is not None else None,
            "cost": min(after.cost, _MOST),
            "tokens": min(after.tokens, _MOST),
            "calls": min(after.calls, _MOST),
            "updated_at": now(),
        }
        mine = and_(Table.recipe == key.recipe, Table.run == key.run, Table.owner == key.owner)
        async with self._db.write() as connection:
            if before is not None:
                same = and_(mine, Table.revision == before.revision)
                swap = update(Table).where(same).values(**values, revision=before.revision + 1)
                return (await connection.execute(swap)).rowcount == 1
            new = {"recipe": key.recipe, "run": key.run, "owner": key.owner, "revision": 1}
            try:
                async with connection.begin_nested():
                    await connection.execute(insert(Table).values(**new, **values))
            except IntegrityError:
                return False
        return True


def _drawn(row: Row[tuple[object, ...]]) -> StoredAccount:
    budget = Budget.model_validate(row.budget) if row.budget is not None else None
    return StoredAccount(Amount(row.cost, row.tokens, row.calls), row.revision, budget)
