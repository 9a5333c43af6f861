"""What else the ledger says of the content of a sample, in any run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select

from app.kit.db import Database
from app.tables import Reward, Verdict
from app.verdicts.repository import reward_record, verdict_record
from trueward.wire.record import RewardRecord, VerdictRecord

MOST = 20


@dataclass(frozen=True, slots=True)
class Related:
    """Newest first. ``more``: there are further verdicts or rewards. ``made_of``: the verdicts of each reward."""

    verdicts: Sequence[VerdictRecord]
    rewards: Sequence[RewardRecord]
    made_of: Sequence[Sequence[str]]
    more: bool

    def find_reward(self, verdict: str) -> str | None:
        """The newest reward that a verdict went into."""
        return next(
            (reward.record for reward, made in zip(self.rewards, self.made_of, strict=True) if verdict in made), None
        )


async def find_related(db: Database, sample: str) -> Related:
    """At most 20 verdicts and 20 rewards of a sample's fingerprint."""
    async with db.read() as connection:
        rows, priced = [(await connection.execute(wanted)).all() for wanted in select_records(sample)]
    return Related(
        [verdict_record(row) for row in rows[:MOST]],
        [reward_record(row) for row in priced[:MOST]],
        [row.verdicts for row in priced[:MOST]],
        len(rows) > MOST or len(priced) > MOST,
    )


def select_records(sample: str) -> list[Select[Any]]:
    """The statements for verdicts and for rewards, each for one more than is shown."""
    return [
        select(table.__table__).where(table.sample == sample).order_by(table.record.desc()).limit(MOST + 1)
        for table in (Verdict, Reward)
    ]
