"""What the ledger says of a sample: for an annotator who has labelled it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.tables import Reward, Verdict
from trueward.wire.draw import DrawnVerdict
from trueward.wire.verdict import Outcome

_MOST = 50


async def list_verdicts(connection: AsyncConnection, sample: str) -> list[DrawnVerdict]:
    """The latest of each verifier (by version and parameters) and of each recipe, newest first."""
    verdicts = select(Verdict.__table__).where(Verdict.sample == sample).order_by(Verdict.record.desc())
    rewards = select(Reward.__table__).where(Reward.sample == sample).order_by(Reward.record.desc())
    found: dict[tuple[str, ...], DrawnVerdict] = {}
    for row in await connection.execute(verdicts.limit(_MOST)):
        found.setdefault(
            (row.verifier, row.version, row.params), _make_verdict(row, row.verifier, row.version, row.score)
        )
    for row in await connection.execute(rewards.limit(_MOST)):
        found.setdefault((row.recipe,), _make_verdict(row, f"recipe {row.recipe_name}", None, row.reward))
    return sorted(found.values(), key=lambda said: said.record, reverse=True)


def _make_verdict(row: Row[Any], name: str, version: str | None, score: float | None) -> DrawnVerdict:
    return DrawnVerdict(
        name=name,
        version=version,
        record=row.record,
        outcome=Outcome(row.outcome),
        score=score,
        reason_code=row.reason_code,
        reason=row.reason,
    )
