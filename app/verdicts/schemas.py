"""Which records of the ledger are asked for."""

from __future__ import annotations

from pydantic import BaseModel

from trueward.wire.verdict import Outcome


class LedgerQuery(BaseModel):
    """Which records; what is not named is not asked."""

    run: str | None = None
    outcome: Outcome | None = None
    group: str | None = None
    sample_id: str | None = None
    reason_code: str | None = None


class VerdictQuery(LedgerQuery):
    verifier: str | None = None


class RewardQuery(LedgerQuery):
    step: int | None = None
    recipe: str | None = None
    recipe_name: str | None = None
