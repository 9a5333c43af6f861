"""What the ledger answers: records as they were written, with what explains them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from trueward.types import Outcome, Reward, Verdict, Wire


class Circumstances(Wire):
    """Whose sample, in which run, when. ``sample`` is the fingerprint of its content."""

    record: str
    created_at: datetime
    sample: str
    group: str | None
    pair: str | None
    run: str | None
    step: int | None
    policy: str | None
    split: str
    data_source: str | None


class VerdictRecord(Circumstances):
    kind: Literal["verdict"] = "verdict"
    verdict: Verdict


class RewardRecord(Circumstances):
    kind: Literal["reward"] = "reward"
    reward: Reward
    recipe: str = Field(description="content hash of the recipe")
    recipe_name: str


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


class VerdictQuery(BaseModel):
    """Which verdicts; what is not named is not asked."""

    run: str | None = None
    verifier: str | None = None
    outcome: Outcome | None = None
    group: str | None = None
    sample_id: str | None = None
    reason_code: str | None = None
