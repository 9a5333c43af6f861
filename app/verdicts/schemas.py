"""What the ledger answers: records as they were written, with what explains them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from trueward.answers import Circumstances, RewardRecord
from trueward.types import Outcome, Verdict, Wire


class VerdictRecord(Circumstances):
    kind: Literal["verdict"] = "verdict"
    verdict: Verdict


class VerdictDetail(VerdictRecord):
    content: dict[str, JsonValue] = Field(description="the sample as it was judged, without id, group and pair")
    params: dict[str, JsonValue] | None = Field(description="the verifier's parameters")


class RewardDetail(RewardRecord):
    content: dict[str, JsonValue] = Field(description="the sample as it was judged, without id, group and pair")
    recipe_body: dict[str, JsonValue] | None
    verdicts: list[VerdictRecord] = Field(description="what was priced")


class VerdictPage(Wire):
    verdicts: list[VerdictRecord]
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


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
