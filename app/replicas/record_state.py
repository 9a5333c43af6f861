"""What the ledger has of one record: what stands, whoever wrote it first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy import select

from app.kit.db import Database, is_outage
from app.tables import Reward as Table
from app.verdicts.repository import reward_of
from trueward.wire.reward import Reward


def make_reward_reader(db: Database) -> Callable[[str], Awaitable[Reward | None]]:
    """Reads a reward by its record: None where there is none, or the database cannot say."""

    async def read(record: str) -> Reward | None:
        try:
            async with db.read() as connection:
                row = (await connection.execute(select(Table.__table__).where(Table.record == record))).one_or_none()
        except Exception as failure:  # an outage is taken for no word, the rest raised again
            if not is_outage(failure):
                raise
            return None
        return None if row is None else reward_of(row)

    return read
